#pragma once
#include <string>

#include "base/result.h"
#include "env/commands.h"
#include "env/interpreter.h"
#include "host/machine/env_machine.h"

namespace pinwheel::host {

/// The uv for an environment: that of the user's PATH, else pinwheel's own in `<cache>/tools/`,
/// installed once from pip's index, under a lock. In a container always the latter. Errors are
/// those of `own_pip` and `run_pip`.
Result<std::string> uv_program(const EnvMachine& machine, const env::Interpreter& interpreter);

/// Runs a uv command to completion; a failure becomes an error of the kind from `classify_uv`.
/// `what` is the beginning of the message.
Done run_uv(const EnvMachine& machine, const ports::Command& command, const std::string& what);

}  // namespace pinwheel::host
