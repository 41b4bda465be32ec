#pragma once
#include <filesystem>

#include "base/result.h"
#include "env/interpreter.h"
#include "host/machine/env_machine.h"
#include "plan/action.h"

namespace pinwheel::host {

/// Whether the C library of a distribution has all that the wheel's files ask for; else `check`,
/// naming each file, version and library. pip only says that such a wheel is not for the platform.
Done check_glibc(const EnvMachine& image, const env::Interpreter& interpreter,
                 const plan::TestWheel& action, const std::filesystem::path& wheel);

/// The Python that an image has under its usual names. `config` when it has none that makes virtual
/// environments.
Result<env::Interpreter> image_python(const EnvMachine& image, const std::string& name);

}  // namespace pinwheel::host
