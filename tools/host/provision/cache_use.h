#pragma once
#include <chrono>
#include <filesystem>
#include <memory>
#include <string_view>
#include <vector>

#include "host/machine/env_machine.h"

namespace pinwheel::host {

/// Next to a directory of the cache: the directory with a file for each of its users.
inline constexpr std::string_view kUsesSuffix = ".uses";
/// Next to a directory of the cache: its lock, exclusive for those who make and remove it, shared
/// by those who use it.
inline constexpr std::string_view kLockSuffix = ".lock";

struct CacheUse {
  CacheUser user;
  std::chrono::sys_seconds at = {};  ///< last

  bool operator==(const CacheUse&) const = default;
};

/// Prevents the removal of a directory of the cache as long as the machine's leases exist, and
/// records who uses it and when. Waits while another process makes or removes it. A read-only cache
/// works without.
void use_directory(const EnvMachine& machine, const std::filesystem::path& directory);

/// The recorded uses, the last one first; damaged records are left out.
std::vector<CacheUse> uses_of(ports::Files& files, const std::filesystem::path& directory);

/// A lock on an unused directory of the cache, for its removal. `environment` if it is in use or
/// being made.
Result<std::unique_ptr<ports::FileLock>> lock_unused(const EnvMachine& machine,
                                                     const std::filesystem::path& directory);
/// Removes it, with its uses; the caller holds the lock.
Done remove_directory(const EnvMachine& machine, const std::filesystem::path& directory);

}  // namespace pinwheel::host
