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

/// The location of an environment.
struct Creation {
  std::filesystem::path cache;
  std::string place;  ///< below the cache
};

/// The differences between two builds of an environment, by file, sorted by path: contents, targets
/// of links, permissions. The paths of the environment and its cache in texts and links count as
/// equal, as do the hashes of such texts in conda's records. The completion marker, which contains
/// the creation time, is ignored. `environment` if a directory cannot be read.
Result<std::vector<FileDifference>> compare_environments(const Creation& here,
                                                         const Creation& there);

}  // namespace pinwheel::host
