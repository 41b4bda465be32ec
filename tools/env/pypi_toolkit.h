#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "env/request.h"
#include "env/resolution.h"
#include "env/toolkit.h"

namespace pinwheel::env {

/// Whether the toolkit of a request comes from PyPI: where `toolkit: pypi` says so, and with
/// `automatic` where a CUDA is asked for that this machine (`found`) has not.
bool comes_from_pypi(const Request& request, const std::vector<Toolkit>& found);

/// What the exact packages of a toolkit are resolved from: a complete nvcc of that version, which
/// is resolved and recorded as an environment is. `environment` where PyPI holds none: for ROCm,
/// and before CUDA 13, whose packages lack the nvcc driver.
Result<Request> pypi_toolkit_request(const Request& request);

/// The name of the toolkit's directory in the cache, "cuda-13.0-" and 12 hex digits over the names,
/// versions and hashes: one for all Pythons, another for every other release.
std::string pypi_toolkit_id(const std::string& name, const Resolution& resolution);
/// The exact release of nvcc in it, "13.0.88"; empty when it has none.
std::string pypi_release(const Resolution& resolution);
/// Where `pip --target` puts the toolkit: `<target>/nvidia/cu13`.
std::string pypi_prefix(const std::string& target, const std::string& release);

}  // namespace pinwheel::env
