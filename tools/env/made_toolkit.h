#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "env/request.h"
#include "env/resolution.h"
#include "env/toolkit.h"

namespace pinwheel::env {

/// Where a toolkit comes from in the end: it is here, or pinwheel makes it of packages.
enum class ToolkitSource { machine, pypi, conda };

/// Whether a request names packages as the source of its toolkit, whatever is on the machine.
bool asks_for_packages(const Request& request);

/// What a request means where these toolkits were `found`.
ToolkitSource toolkit_source(const Request& request, const std::vector<Toolkit>& found);

/// What the packages of a toolkit are resolved from, as its source has it. `machine` has none.
Result<Request> toolkit_packages(const Request& request, ToolkitSource source);

/// The name of the directory in the cache that holds the toolkit `name` ("cuda/13.0") of these
/// packages.
std::string toolkit_id(const std::string& name, const Resolution& packages);

/// The exact release of the toolkit that a directory of that name holds, "cuda/13.0.88".
std::string toolkit_in(const std::string& id, const Resolution& packages);

}  // namespace pinwheel::env
