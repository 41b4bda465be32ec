#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace pinwheel {

/// The processors that this process may use, at least 1.
unsigned usable_processors();

struct JobLimits {
  unsigned threads = 1;
  uint64_t memory = UINT64_MAX;  ///< bytes that the jobs which run may cost together
};

/// Calls `work` once with each index of `costs`, on several threads where the limits allow, the
/// dearest first. `costs` are bytes; a job dearer than all the memory runs alone. Returns when all
/// have ended; an exception of one is thrown on, after the others.
void run_jobs(const std::vector<uint64_t>& costs, const JobLimits& limits,
              const std::function<void(size_t)>& work);

}  // namespace pinwheel
