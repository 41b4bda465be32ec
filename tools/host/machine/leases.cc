#include "host/machine/leases.h"

namespace pinwheel::host {

namespace fs = std::filesystem;

bool Leases::holds(const fs::path& directory) const {
  const std::lock_guard lock(mutex_);
  return locks_.contains(directory);
}

void Leases::hold(const fs::path& directory, std::unique_ptr<ports::FileLock> held) {
  const std::lock_guard lock(mutex_);
  locks_.emplace(directory, std::move(held));
}

void Leases::drop(const fs::path& directory) {
  const std::lock_guard lock(mutex_);
  locks_.erase(directory);
}

bool Leases::is_first(const fs::path& directory, const CacheUser& user) {
  const std::lock_guard lock(mutex_);
  return uses_.emplace(directory, user).second;
}

}  // namespace pinwheel::host
