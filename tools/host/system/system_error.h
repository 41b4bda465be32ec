#pragma once
#include <filesystem>
#include <string_view>

#include "base/error.h"

namespace pinwheel::host {

/// Describes a failed system call on a path: "`path` cannot be <participle>: <reason>". A missing
/// file is of kind `config`, everything else `environment`; a full disk and missing permissions
/// have a hint with the fix, for the disk with the free space. `number` is an errno value.
Error system_error(std::string_view participle, const std::filesystem::path& path, int number);

}  // namespace pinwheel::host
