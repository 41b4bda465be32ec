#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "env/interpreter.h"
#include "host/machine/env_machine.h"

namespace pinwheel::host {

/// Whether uv is on the PATH of the machine's user.
bool has_uv(const EnvMachine& machine);

/// Fetches a CPython of that version into `<cache>/pythons`, where `interpreter_for` finds it: by
/// uv if it is on PATH, else, or if that fails, as conda packages from these channels (conda-forge
/// without any). Never changes anything outside the cache. Kind `transient` if no way had a
/// network, `environment` otherwise, with the reason of each way.
Result<env::Interpreter> fetch_python(const EnvMachine& machine, const std::string& version,
                                      const std::vector<std::string>& channels);

}  // namespace pinwheel::host
