#pragma once
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "host/machine/env_machine.h"

namespace pinwheel::host {

enum class CacheKind { environment, conda, toolkit, source, scratch };
std::string_view to_string(CacheKind kind);

/// Something in the cache that can be made or fetched again.
struct CacheEntry {
  CacheKind kind = CacheKind::environment;
  std::string id;                      ///< the name of its directory
  std::string place;                   ///< relative to the cache
  std::chrono::sys_seconds used = {};  ///< last, or when it was made
  std::string interpreter = {};        ///< of an environment: the Python that it needs
  bool partial = false;                ///< what an interrupted process left
};

/// What nothing has used since `before`, and what is partial. A conda prefix stays while an
/// environment that stays has its Python from it.
std::vector<CacheEntry> unused(const std::vector<CacheEntry>& entries,
                               std::chrono::sys_seconds before, const std::string& cache);

enum class Removal { real, pretended };

struct CacheCollection {
  std::vector<CacheEntry> removed;
  std::vector<CacheEntry> in_use;  ///< would have been removed, but a process uses or makes it
  uint64_t removed_bytes = 0;      ///< that are free now: files that others share do not count
  uint64_t kept_bytes = 0;
};

/// Removes what nothing has used since `before`: environments, conda prefixes, toolkits, fetched
/// sources and what killed processes left in the scratch directory, here and of each image.
Result<CacheCollection> collect_cache(const EnvMachine& machine, std::chrono::sys_seconds before,
                                      Removal removal);

}  // namespace pinwheel::host
