#pragma once
#include <filesystem>

#include "base/result.h"
#include "env/interpreter.h"
#include "host/machine/env_machine.h"
#include "plan/action.h"

namespace pinwheel::host {

/// Checks that the C library of a distribution has every symbol version that the wheel's files
/// need; else `check`, with each file, version and library. pip only reports that such a wheel is
/// not supported on the platform.
Done check_glibc(const EnvMachine& image, const env::Interpreter& interpreter,
                 const plan::TestWheel& action, const std::filesystem::path& wheel);

/// The Python of an image, found by its usual names. `config` if none of them can create virtual
/// environments.
Result<env::Interpreter> image_python(const EnvMachine& image, const std::string& name);

}  // namespace pinwheel::host
