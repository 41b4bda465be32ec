#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/crew.h"
#include "base/result.h"

namespace pinwheel {

/// The number of processors that this process may use, at least 1.
unsigned usable_processors();

struct JobLimits {
  unsigned threads = 1;
  uint64_t memory = UINT64_MAX;  ///< bytes, for all running jobs together
};

/// Calls `work` once for each index of `costs`, on several threads if the limits allow it, the most
/// expensive job first. `costs` are bytes; a job that exceeds the memory limit runs alone. Returns
/// when all jobs have ended, and then rethrows the exception of one of them.
void run_jobs(const std::vector<uint64_t>& costs, const JobLimits& limits,
              const std::function<void(size_t)>& work);
/// The same for jobs that hand over pieces of their work: threads without a job of their own help
/// the others.
void run_jobs(const std::vector<uint64_t>& costs, const JobLimits& limits, Crew& crew,
              const std::function<void(size_t)>& work);

/// The same for jobs that may fail: after an error, no further job starts. Returns the first error.
Done try_jobs(const std::vector<uint64_t>& costs, const JobLimits& limits,
              const std::function<Done(size_t)>& work);

}  // namespace pinwheel
