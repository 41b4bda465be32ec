#pragma once
#include <filesystem>

#include "base/result.h"
#include "ports/files.h"

namespace pinwheel::host {

/// Makes a directory whose contents git ignores, by a `.gitignore` of its own; one that it has
/// stays.
Done make_ignored_directory(ports::Files& files, const std::filesystem::path& directory);

/// Makes the directory of finished files. A new one is ignored by git; one that exists is the
/// user's, who may keep other files there.
Done make_output_directory(ports::Files& files, const std::filesystem::path& directory);

}  // namespace pinwheel::host
