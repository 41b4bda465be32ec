#pragma once
#include <string>

#include "base/result.h"
#include "env/interpreter.h"
#include "host/machine/env_machine.h"

namespace pinwheel::host {

/// The interpreter of a version where the machine's commands run: on the host by
/// `find_interpreter`, in a container the first of its usual names on the image's PATH.
/// `environment` if there is none.
Result<env::Interpreter> interpreter_for(const EnvMachine& machine, const std::string& wanted);

}  // namespace pinwheel::host
