#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "base/result.h"
#include "env/interpreter.h"
#include "ports/files.h"

namespace pinwheel::host {

/// Identifies this file and its current contents: the path, the real file behind it (device, inode,
/// size, times) and the `pyvenv.cfg` of a virtual environment. Empty for anything but an ELF
/// program: a pyenv shim is a script whose output depends on other files.
std::string program_identity(const std::filesystem::path& program);

/// The description that `program` printed earlier, cached in `directory`; nullopt if it has changed
/// since, or was never probed. Starting Python to probe it takes longer than the rest of a run that
/// has nothing to do.
std::optional<env::Interpreter> recall_interpreter(ports::Files& files,
                                                   const std::filesystem::path& directory,
                                                   const std::filesystem::path& program);

/// Caches the output of `program`. Only for an interpreter that has everything: missing parts
/// (headers, ensurepip) may be installed later without changing the program.
Done remember_interpreter(ports::Files& files, const std::filesystem::path& directory,
                          const std::filesystem::path& program, const std::string& printed);

}  // namespace pinwheel::host
