#pragma once
#include <string>

#include "base/result.h"
#include "host/machine/fixed_path.h"

namespace pinwheel::host {

/// A search path on which `program` is not found, and every other program is: a directory that has
/// `program` is replaced by one below the build's root, with a link to each of its other files.
/// `path` has directories of the host. One with the programs that enter a build's root (`sh`,
/// `mount`, `unshare`) stays as it is, the program included: they are looked up before that root
/// exists. `environment` if such a directory cannot be made.
Result<std::string> path_without(const std::string& path, const std::string& program,
                                 const BuildSpace& space);

}  // namespace pinwheel::host
