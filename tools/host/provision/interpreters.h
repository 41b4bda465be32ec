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

/// Every working Python of this machine: on PATH with the usual names for `wanted` (all names of
/// the versions 3.8 to 3.15 if empty), pyenv's (PYENV_ROOT, ~/.pyenv) and uv's
/// (UV_PYTHON_INSTALL_DIR, ~/.local/share/uv/python). A shim of pyenv is the program that it stands
/// for (host/provision/pyenv_shim). Each real file once, in this order; pyenv's
/// and uv's newest first.
std::vector<env::Interpreter> list_interpreters(ports::Files& files, ports::Process& process,
                                                const std::map<std::string, std::string>& variables,
                                                const std::string& wanted = {});

/// The first of these that matches and can create virtual environments. `environment` if there is
/// none: lists those found and the commands to fix it. If `remembered` is a directory, results are
/// cached there, and unchanged programs are not run again.
Result<env::Interpreter> find_interpreter(ports::Files& files, ports::Process& process,
                                          const std::map<std::string, std::string>& variables,
                                          const std::string& wanted,
                                          const std::filesystem::path& remembered = {});

}  // namespace pinwheel::host
