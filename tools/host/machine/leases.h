#pragma once
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "ports/files.h"

namespace pinwheel::host {

/// Who uses a directory of the cache.
struct CacheUser {
  std::string project = {};  ///< the directory of its matrix; empty: none
  std::string step = {};     ///< "build:cpu", or the command that uses it

  auto operator<=>(const CacheUser&) const = default;
};

/// The directories of the cache that this process uses: while the object lives, nobody removes
/// them. Thread-safe.
class Leases {
 public:
  bool holds(const std::filesystem::path& directory) const;
  void hold(const std::filesystem::path& directory, std::unique_ptr<ports::FileLock> lock);
  /// Releases the lock on a directory that does not exist any more.
  void drop(const std::filesystem::path& directory);
  /// Whether that use is new, and need be recorded.
  bool is_first(const std::filesystem::path& directory, const CacheUser& user);

 private:
  mutable std::mutex mutex_;
  std::map<std::filesystem::path, std::unique_ptr<ports::FileLock>> locks_;
  std::set<std::pair<std::filesystem::path, CacheUser>> uses_;
};

}  // namespace pinwheel::host
