#pragma once
#include <filesystem>

#include "base/result.h"
#include "env/interpreter.h"

namespace pinwheel::host {

/// Makes a directory of links to the torch of an existing environment and to torch's requirements,
/// without the other packages there, and returns it. Returns `site_packages` itself if no
/// distribution there is named torch: its files are unknown then. `environment` if a link cannot be
/// made.
Result<std::filesystem::path> link_torch(const std::filesystem::path& site_packages,
                                         const env::Interpreter& interpreter,
                                         const std::filesystem::path& directory);

}  // namespace pinwheel::host
