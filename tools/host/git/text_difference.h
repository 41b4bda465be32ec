#pragma once
#include <string>

#include "base/result.h"

namespace pinwheel::host {

/// How two texts differ, as a unified diff of one file, made by libgit2; empty if they are equal.
/// `environment` if libgit2 is missing.
Result<std::string> text_difference(const std::string& before, const std::string& after,
                                    const std::string& path);

}  // namespace pinwheel::host
