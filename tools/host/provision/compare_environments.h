#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace pinwheel::host {

enum class FileChange { contents, mode, only_here, only_there };
std::string_view to_string(FileChange change);

struct FileDifference {
  std::string path;  ///< below the environment
  FileChange change = FileChange::contents;

  bool operator==(const FileDifference&) const = default;
};

/// Where a creation of an environment lies.
struct Creation {
  std::filesystem::path cache;
  std::string place;  ///< below the cache
};

/// What two creations of one environment have that is not the same, file by file, sorted by path:
/// contents, targets of links, permissions. Where texts and links name the environment or its
/// cache, those count as the same; so do the hashes that conda's records keep of such texts. The
/// completion marker, which says when the environment was made, is left out. `environment` when a
/// directory cannot be read.
Result<std::vector<FileDifference>> compare_environments(const Creation& here,
                                                         const Creation& there);

}  // namespace pinwheel::host
