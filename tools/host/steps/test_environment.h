#pragma once
#include <string>

#include "base/result.h"
#include "host/provision/python_environments.h"
#include "host/steps/perform.h"

namespace pinwheel::host {

/// Whether a wheel of that compute can only be loaded here: it is for CUDA, and there is no GPU.
bool loads_only(const Bench& bench, const std::string& compute);

/// The environment that wheels of that compute are tested in. Where they can only be loaded it is
/// one of its own, without NVIDIA's packages: stub libraries stand in for gigabytes.
Result<BaseEnvironment> test_environment(const Bench& bench, const env::Request& request,
                                         const std::string& compute);

}  // namespace pinwheel::host
