#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <utility>
#include <vector>

namespace pinwheel::host {

/// The bytes of a directory, without what is counted twice by hard links.
struct DiskUse {
  uint64_t own = 0;     ///< what its removal would free
  uint64_t shared = 0;  ///< of files that something else has, too
};

/// The sizes of directories that may share files.
class DiskUses {
 public:
  /// What cannot be read counts as nothing.
  explicit DiskUses(const std::vector<std::filesystem::path>& directories);

  DiskUse of(size_t directory) const;
  /// All of them together.
  uint64_t total() const;
  /// What the removal of these would free.
  uint64_t freed_by(const std::vector<size_t>& directories) const;

 private:
  struct File {
    uint64_t size = 0;
    uint64_t links = 0;  ///< all that it has
    uint64_t seen = 0;   ///< those in the directory
  };
  using Inode = std::pair<uint64_t, uint64_t>;  ///< device, number
  std::vector<std::map<Inode, File>> files_;    ///< by directory
};

}  // namespace pinwheel::host
