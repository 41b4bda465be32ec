#pragma once
#include <string>

#include "base/result.h"
#include "env/request.h"
#include "env/resolution.h"
#include "env/toolkit.h"

namespace pinwheel::toolkits {

/// The request for a toolkit from conda: the channels of the matrix, and the packages that
/// `environment.conda.toolkit` names, by default `cuda-toolkit` of the class, without a Python.
/// `config` if the matrix names no channel, and for a ROCm without packages.
Result<env::Request> conda_toolkit_request(const env::Request& request);

/// The name of the toolkit's directory in the cache: "cuda-13.0-conda-" and 12 hex digits of a
/// digest over the exact packages.
std::string conda_toolkit_id(const std::string& name, const env::Resolution& resolution);

/// The version of the package that contains the compiler, recognized by its name; empty if there is
/// none.
std::string conda_toolkit_release(const env::Resolution& resolution);

/// The toolkit in a prefix of conda packages, which also has libraries under `targets/`. `machine`
/// is "x86_64".
env::Toolkit conda_toolkit(const std::string& compute, const std::string& prefix,
                           const std::string& release, const std::string& machine);

}  // namespace pinwheel::toolkits
