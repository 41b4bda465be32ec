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

/// Every working Python of this machine: on PATH with the usual names of the versions 3.8 to 3.15,
/// then those that need not be there (host/provision/interpreter_places). A shim of pyenv is the
/// program that it stands for (host/provision/pyenv_shim). Each real file once, in this order. With
/// a `cache`, results are remembered in it, and unchanged programs are not run again.
std::vector<env::Interpreter> list_interpreters(ports::Files& files, ports::Process& process,
                                                const std::map<std::string, std::string>& variables,
                                                const std::filesystem::path& cache = {});

/// The first with a usual name of `wanted` on PATH, or in the other places, that matches and can
/// create virtual environments. `environment` if there is none: lists those found and the commands
/// to fix it.
Result<env::Interpreter> find_interpreter(ports::Files& files, ports::Process& process,
                                          const std::map<std::string, std::string>& variables,
                                          const std::string& wanted,
                                          const std::filesystem::path& cache = {});

}  // namespace pinwheel::host
