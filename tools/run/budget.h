#pragma once
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>

#include "plan/attempt_trace.h"
#include "plan/step.h"

namespace pinwheel::run {

/// The resources of the machine that an execution may use.
struct Budget {
  int cores = 1;
  int cores_per_step = std::numeric_limits<int>::max();  ///< no step gets more
  uint64_t memory = 0;                                   ///< bytes; 0: unlimited
  std::map<std::string, int> pools = {};                 ///< a pool that is not listed has size one
};

/// What a step waits for: cores, memory, or a pool.
struct Shortage {
  plan::WaitCause cause = plan::WaitCause::slot;
  std::string pool = {};

  bool operator==(const Shortage&) const = default;
};

/// Tracks what is in use of a budget. A step that wants more than the total gets all of it, so that
/// every step can start when nothing else runs.
class Ledger {
 public:
  explicit Ledger(Budget budget);

  /// The cores that the step can have now, at most `limit`; nullopt if it has to wait.
  std::optional<int> fit(const plan::Resources& wanted, int limit) const;
  /// Why a step that does not fit has to wait.
  Shortage shortage(const plan::Resources& wanted, int limit) const;
  /// The memory that a step with these cores reserves; 0: none.
  uint64_t memory_share(const plan::Resources& wanted, int cores) const;
  void take(const plan::Resources& wanted, int cores);
  void release(const plan::Resources& wanted, int cores);

 private:
  int pool_size(const std::string& name) const;
  int pool_share(const std::string& name, int wanted) const;
  /// The first pool without enough room; null: all have.
  const std::string* full_pool(const plan::Resources& wanted) const;
  bool has_slot(const plan::Resources& wanted, int limit) const;

  Budget budget_;
  int cores_ = 0;
  uint64_t memory_ = 0;
  std::map<std::string, int> pools_;
};

}  // namespace pinwheel::run
