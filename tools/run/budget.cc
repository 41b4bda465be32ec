#include "run/budget.h"

#include <algorithm>
#include <utility>

namespace pinwheel::run {

Ledger::Ledger(Budget budget) : budget_(std::move(budget)) {
  budget_.cores = std::max(budget_.cores, 1);
}

int Ledger::pool_size(const std::string& name) const {
  const auto found = budget_.pools.find(name);
  return found == budget_.pools.end() ? 1 : std::max(found->second, 1);
}

int Ledger::pool_share(const std::string& name, int wanted) const {
  return std::clamp(wanted, 0, pool_size(name));
}

uint64_t Ledger::memory_share(const plan::Resources& wanted, int cores) const {
  const uint64_t share = wanted.memory_per_core * static_cast<uint64_t>(cores);
  return budget_.memory == 0 ? share : std::min(share, budget_.memory);
}

const std::string* Ledger::full_pool(const plan::Resources& wanted) const {
  for (const auto& [name, count] : wanted.pools) {
    const auto used = pools_.find(name);
    const int taken = used == pools_.end() ? 0 : used->second;
    if (taken + pool_share(name, count) > pool_size(name)) return &name;
  }
  return nullptr;
}

Shortage Ledger::shortage(const plan::Resources& wanted, int limit) const {
  if (const std::string* const pool = full_pool(wanted)) return {plan::WaitCause::pool, *pool};
  return {has_slot(wanted, limit) ? plan::WaitCause::memory : plan::WaitCause::slot};
}

bool Ledger::has_slot(const plan::Resources& wanted, int limit) const {
  const int most = std::max(std::min({wanted.cores_max, limit, budget_.cores_per_step}), 1);
  return budget_.cores - cores_ >= std::min({std::max(wanted.cores_min, 1), budget_.cores, most});
}

std::optional<int> Ledger::fit(const plan::Resources& wanted, int limit) const {
  if (full_pool(wanted) != nullptr) return std::nullopt;
  const int useful_cores = std::max(std::min({wanted.cores_max, limit, budget_.cores_per_step}), 1);
  int cores = std::min(budget_.cores - cores_, useful_cores);
  int least = std::min({std::max(wanted.cores_min, 1), budget_.cores, useful_cores});
  if (budget_.memory != 0 && wanted.memory_per_core != 0) {
    const auto most = [&](uint64_t bytes) {
      return static_cast<int>(
          std::min<uint64_t>(bytes / wanted.memory_per_core, static_cast<uint64_t>(budget_.cores)));
    };
    // An idle machine always grants one core, whatever the memory.
    least = std::min(least, std::max(most(budget_.memory), 1));
    const bool idle = memory_ == 0;
    cores = std::min(cores, std::max(most(budget_.memory - memory_), idle ? 1 : 0));
  }
  if (cores < least) return std::nullopt;
  return cores;
}

void Ledger::take(const plan::Resources& wanted, int cores) {
  cores_ += cores;
  memory_ += memory_share(wanted, cores);
  for (const auto& [name, count] : wanted.pools) pools_[name] += pool_share(name, count);
}

void Ledger::release(const plan::Resources& wanted, int cores) {
  cores_ -= cores;
  memory_ -= memory_share(wanted, cores);
  for (const auto& [name, count] : wanted.pools) pools_[name] -= pool_share(name, count);
}

}  // namespace pinwheel::run
