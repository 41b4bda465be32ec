#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "env/classify.h"
#include "env/commands.h"
#include "env/interpreter.h"
#include "host/machine/env_machine.h"

namespace pinwheel::host {

/// Pinwheel's own pip for an interpreter, in `<cache>/tools/`: created once, under a lock, with the
/// interpreter's bundled pip, then upgraded from the user's index if it responds. `environment`, or
/// the kind of the error that kept pip from its index, if the pip is too old even then; it is then
/// removed.
Result<env::Pip> own_pip(const EnvMachine& machine, const env::Interpreter& interpreter);

/// The reason for the failure of a program, from its exit and its output.
using Classify = env::Diagnosis (*)(const ports::Exit& exit, std::string_view output);

/// Runs a pip command to completion; a failure becomes an error of the kind from `classify`.
/// `what` is the beginning of the message: "resolving torch".
Done run_pip(const EnvMachine& machine, const ports::Command& command, const std::string& what,
             Classify classify = env::classify_pip);

/// Creates a virtual environment; `environment` with pip's or venv's message on failure.
Done run_venv(const EnvMachine& machine, const ports::Command& command,
              const std::string& directory);

/// If a disk is full: the diagnosis with the directory on it and the free space there. It is the
/// directory with the least free space of those that environments are made in: the cache, the state
/// directory and that of temporary files. Any other diagnosis is returned as it is, unless that
/// directory has less than `needed` bytes: the tool then failed for lack of space without a
/// message.
env::Diagnosis name_full_disk(const EnvMachine& machine, env::Diagnosis diagnosis,
                              uint64_t needed = 0);

}  // namespace pinwheel::host
