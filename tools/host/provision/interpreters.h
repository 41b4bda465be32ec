#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "env/interpreter.h"
#include "host/machine/env_machine.h"
#include "ports/files.h"
#include "ports/process.h"

namespace pinwheel::host {

/// Every working Python of this machine: on PATH with the usual names of the versions 3.8 to 3.15,
/// then those that need not be on PATH. A shim of pyenv is replaced by its program. Each real file
/// once, in this order. With a `cache`, results are cached in it, and unchanged programs are not
/// run again.
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

/// The directory of the Pythons that pinwheel fetches, below the cache.
inline constexpr const char* kFetchedPlace = "pythons";

/// The directory into which uv installs the Pythons that pinwheel fetches; conda's are next to it,
/// in their own prefixes.
std::filesystem::path fetched_by_uv(const std::filesystem::path& cache);

/// Whether this directory of PATH contains pyenv's shims, which are shell scripts: `ROOT/shims`
/// next to `ROOT/versions`.
bool has_pyenv_shims(ports::Files& files, const std::filesystem::path& directory);

/// The program that a shim of pyenv stands for, found without running bash, in the order of `pyenv
/// which`: the versions in PYENV_VERSION, else in the `.python-version` of PYENV_DIR or of a
/// directory above it (without PYENV_DIR or such a file, of `directory`), else in `ROOT/version`. A
/// version may be a prefix, `3.11`. nullopt if none of them has the program: pyenv then uses the
/// next one on PATH.
std::optional<std::filesystem::path> behind_pyenv_shim(
    ports::Files& files, const std::map<std::string, std::string>& variables,
    const std::filesystem::path& shim, const std::filesystem::path& directory);

/// The interpreter of a version where the machine's commands run: on the host by
/// `find_interpreter`, in a container the first of its usual names on the image's PATH.
/// `environment` if there is none.
Result<env::Interpreter> interpreter_for(const EnvMachine& machine, const std::string& wanted);

}  // namespace pinwheel::host
