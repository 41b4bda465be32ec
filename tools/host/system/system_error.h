#pragma once
#include <filesystem>
#include <string_view>

#include "base/error.h"

namespace pinwheel::host {

/// What a failed system call on a path means to the user: "`path` cannot be <participle>:
/// <reason>". A missing file is of kind `config`, everything else `environment`; a full disk and
/// missing permissions carry the hint that mends them. `number` is errno's value.
Error system_error(std::string_view participle, const std::filesystem::path& path, int number);

}  // namespace pinwheel::host
