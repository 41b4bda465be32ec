#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "env/request.h"
#include "env/resolution.h"
#include "env/toolkit.h"

namespace pinwheel::toolkits {

/// Whether the toolkit of a request comes from PyPI: with `toolkit: pypi`, and with `automatic` for
/// a CUDA that this machine lacks (not in `found`).
bool comes_from_pypi(const env::Request& request, const std::vector<env::Toolkit>& found);

/// The request for the packages of a toolkit: a complete nvcc of that version, resolved and
/// recorded like an environment. `environment` if PyPI has none: for ROCm, and for CUDA before 13,
/// whose packages lack the nvcc driver.
Result<env::Request> pypi_toolkit_request(const env::Request& request);

/// The name of the toolkit's directory in the cache, "cuda-13.0-" and 12 hex digits of a digest
/// over names, versions and hashes: the same for all Pythons, different for each release.
std::string pypi_toolkit_id(const std::string& name, const env::Resolution& resolution);
/// The exact release of its nvcc, "13.0.88"; empty if it has none.
std::string pypi_release(const env::Resolution& resolution);
/// Where `pip --target` puts the toolkit: `<target>/nvidia/cu13`.
std::string pypi_prefix(const std::string& target, const std::string& release);

}  // namespace pinwheel::toolkits
