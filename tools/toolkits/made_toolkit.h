#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "env/request.h"
#include "env/resolution.h"
#include "env/toolkit.h"

namespace pinwheel::toolkits {

/// The source of a toolkit: found on the machine, or made from packages.
enum class ToolkitSource { machine, pypi, conda };

/// Whether a request requires a toolkit from packages, even if the machine has one.
bool asks_for_packages(const env::Request& request);

/// The source that a request resolves to, given the toolkits `found`.
ToolkitSource toolkit_source(const env::Request& request, const std::vector<env::Toolkit>& found);

/// The request for the packages of a toolkit from `source`, which must not be `machine`.
Result<env::Request> toolkit_packages(const env::Request& request, ToolkitSource source);

/// The name of the cache directory for the toolkit `name` ("cuda/13.0") made from these packages.
std::string toolkit_id(const std::string& name, const env::Resolution& packages);

/// The exact release of the toolkit in the directory of that name, "cuda/13.0.88".
std::string toolkit_in(const std::string& id, const env::Resolution& packages);

}  // namespace pinwheel::toolkits
