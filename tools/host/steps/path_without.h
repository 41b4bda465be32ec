#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "host/machine/fixed_path.h"
#include "host/steps/supplier.h"

namespace pinwheel::host {

/// A search path on which these programs are not found, and every other program is: a directory
/// that has one of them is replaced by one below the build's root, with a link to each of its other
/// files, which `supplier` makes. `path` has directories of the host. `environment` if such a
/// directory cannot be made.
Result<std::string> path_without(const std::string& path, const std::vector<std::string>& programs,
                                 const BuildSpace& space, Supplier& supplier);

}  // namespace pinwheel::host
