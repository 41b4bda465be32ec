#pragma once
#include <filesystem>
#include <optional>

#include "base/error.h"
#include "host/machine/fixed_path.h"

namespace pinwheel::host {

/// A place that the compiler of a build named, in the package's own files, where a person edits
/// them: relative to the current directory if it is below that, else absolute. Nullopt if it is not
/// one of the source's files: a header of a library, a file that the build made.
std::optional<Location> checkout_place(const BuildSpace& space,
                                       const std::filesystem::path& package, Location named);

}  // namespace pinwheel::host
