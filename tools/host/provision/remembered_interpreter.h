#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "base/result.h"
#include "env/interpreter.h"
#include "ports/files.h"

namespace pinwheel::host {

/// What tells this file from any other and from itself after an upgrade: the path, the real file
/// behind it (device, inode, size, times) and the `pyvenv.cfg` of a virtual environment. Empty for
/// what is no ELF program: a pyenv shim is a script whose answer depends on more than itself.
std::string program_identity(const std::filesystem::path& program);

/// What `program` once said of itself, kept in `directory`; nothing when it has changed since, or
/// was never asked. Starting Python to ask takes longer than all the rest of a run that has nothing
/// to do.
std::optional<env::Interpreter> recall_interpreter(ports::Files& files,
                                                   const std::filesystem::path& directory,
                                                   const std::filesystem::path& program);

/// Keeps what `program` printed. Only an interpreter that has everything is kept: what is missing
/// (headers, ensurepip) may be installed beside it without touching it.
Done remember_interpreter(ports::Files& files, const std::filesystem::path& directory,
                          const std::filesystem::path& program, const std::string& printed);

}  // namespace pinwheel::host
