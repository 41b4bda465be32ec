#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "env/interpreter.h"
#include "ports/files.h"
#include "ports/process.h"

namespace pinwheel::host {

/// Every Python of this machine that runs: on PATH under the usual names for `wanted` (all names of
/// the versions 3.8 to 3.15 when it is empty), pyenv's (PYENV_ROOT, ~/.pyenv) and uv's
/// (UV_PYTHON_INSTALL_DIR, ~/.local/share/uv/python). Each real file once, in this order; pyenv's
/// and uv's newest first.
std::vector<env::Interpreter> list_interpreters(ports::Files& files, ports::Process& process,
                                                const std::map<std::string, std::string>& variables,
                                                const std::string& wanted = {});

/// The first of these that fits and can make virtual environments. `environment` when there is
/// none: names what was found and the commands that mend it. Programs that are the same files as
/// when they were last asked are not run again when `remembered` names a directory for their
/// answers.
Result<env::Interpreter> find_interpreter(ports::Files& files, ports::Process& process,
                                          const std::map<std::string, std::string>& variables,
                                          const std::string& wanted,
                                          const std::filesystem::path& remembered = {});

}  // namespace pinwheel::host
