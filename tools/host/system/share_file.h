#pragma once
#include <filesystem>
#include <string_view>

#include "base/result.h"

namespace pinwheel::host {

/// Makes `to` the same file as `from` by a hard link; if the file system has none, or not so many,
/// by a copy with the same permissions. An existing file is replaced; its other links do not
/// change. Parent directories must exist. `config` if `from` is missing, else `environment`.
Done share_file(const std::filesystem::path& from, const std::filesystem::path& to);

/// Writes a new file `to`, replacing an existing one, with the permissions of `like`. A crash may
/// leave an incomplete file.
Done write_like(const std::filesystem::path& to, std::string_view bytes,
                const std::filesystem::path& like);

}  // namespace pinwheel::host
