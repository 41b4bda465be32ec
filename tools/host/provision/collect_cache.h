#pragma once
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "host/machine/env_machine.h"

namespace pinwheel::host {

enum class CacheKind { environment, conda, toolkit, source, scratch };
std::string_view to_string(CacheKind kind);

/// A part of the cache that can be made or fetched again.
struct CacheEntry {
  CacheKind kind = CacheKind::environment;
  std::string id;                      ///< the name of its directory
  std::string place;                   ///< relative to the cache
  std::chrono::sys_seconds used = {};  ///< of its last use, or of its creation
  std::string interpreter = {};        ///< of an environment: the Python that it needs
  bool partial = false;                ///< left by an interrupted process
};

/// The parts that have not been used since `before`, and partial ones. A conda prefix stays while a
/// remaining environment has its Python from it.
std::vector<CacheEntry> unused(const std::vector<CacheEntry>& entries,
                               std::chrono::sys_seconds before, const std::string& cache);

enum class Removal { real, pretended };

struct CacheCollection {
  std::vector<CacheEntry> removed;
  std::vector<CacheEntry> in_use;  ///< would have been removed, but a process uses or makes it
  uint64_t removed_bytes = 0;      ///< that were freed: files with other links do not count
  uint64_t retained_bytes = 0;
};

/// Removes everything that has not been used since `before`: environments, conda prefixes,
/// toolkits, fetched sources and leftovers of killed processes in the scratch directory, here and
/// for each image.
Result<CacheCollection> collect_cache(const EnvMachine& machine, std::chrono::sys_seconds before,
                                      Removal removal);

/// The bytes of a directory, counting hard links once.
struct DiskUse {
  uint64_t own = 0;     ///< that its removal would free
  uint64_t shared = 0;  ///< of files that other directories share
};

/// The sizes of directories that may share files.
class DiskUses {
 public:
  /// Unreadable directories count as empty.
  explicit DiskUses(const std::vector<std::filesystem::path>& directories);

  DiskUse of(size_t directory) const;
  /// The total of all directories.
  uint64_t total() const;
  /// The bytes that removing these would free.
  uint64_t freed_by(const std::vector<size_t>& directories) const;

 private:
  struct File {
    uint64_t size = 0;
    uint64_t links = 0;  ///< all links of the file
    uint64_t seen = 0;   ///< those in the directory
  };
  using Inode = std::pair<uint64_t, uint64_t>;  ///< device, number
  std::vector<std::map<Inode, File>> files_;    ///< by directory
};

}  // namespace pinwheel::host
