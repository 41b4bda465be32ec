#pragma once
#include <filesystem>
#include <string_view>

#include "base/result.h"

namespace pinwheel::host {

/// Makes `to` the same file as `from` by a hard link; where the file system has none, or not so
/// many, a copy with the same permissions. A file that is there is replaced, and others that share
/// it keep it. Parent directories must exist. `config` if `from` is missing, else `environment`.
Done share_file(const std::filesystem::path& from, const std::filesystem::path& to);

/// Writes a new file `to`, in place of one that is there, with the permissions of `like`. What a
/// crash leaves may be incomplete.
Done write_like(const std::filesystem::path& to, std::string_view bytes,
                const std::filesystem::path& like);

}  // namespace pinwheel::host
