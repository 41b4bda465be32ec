#pragma once
#include <filesystem>

#include "base/result.h"
#include "ports/files.h"

namespace pinwheel::host {

/// Makes a directory whose contents git ignores, through its own `.gitignore`; an existing one
/// stays.
Done make_ignored_directory(ports::Files& files, const std::filesystem::path& directory);

/// Makes the directory of finished files. A new one is ignored by git; an existing one belongs to
/// the user, who may have other files there.
Done make_output_directory(ports::Files& files, const std::filesystem::path& directory);

}  // namespace pinwheel::host
