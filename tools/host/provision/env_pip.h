#pragma once
#include <string>

#include "env/commands.h"
#include "env/interpreter.h"
#include "host/machine/env_machine.h"

namespace pinwheel::host {

/// A pip of pinwheel's own for an interpreter, in `<cache>/tools/`: made once, under a lock, with
/// the interpreter's bundled pip, then upgraded through the user's index where that answers.
Result<env::Pip> own_pip(const EnvMachine& machine, const env::Interpreter& interpreter);

/// Runs a pip command to the end; a failure becomes an error of the kind that `classify_pip` names.
/// `what` begins the message: "resolving torch".
Done run_pip(const EnvMachine& machine, const ports::Command& command, const std::string& what);

/// Makes a virtual environment; `environment` with pip's or venv's own words when it cannot.
Done run_venv(const EnvMachine& machine, const ports::Command& command,
              const std::string& directory);

}  // namespace pinwheel::host
