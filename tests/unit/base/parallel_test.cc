#include "base/parallel.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <stdexcept>

#include "unit/catch.h"

namespace pinwheel {
namespace {

TEST_CASE("every job runs once, on one thread the most expensive first") {
  std::vector<size_t> order;
  run_jobs({1, 30, 20, 30}, {1, 10}, [&order](size_t job) { order.push_back(job); });
  CHECK(order == std::vector<size_t>{1, 3, 2, 0});
  run_jobs({}, {4, 10}, [](size_t /*job*/) { FAIL("there is no job"); });
  CHECK(usable_processors() >= 1);
}

TEST_CASE("jobs that run together stay within the memory limit, unless one alone exceeds it") {
  const std::vector<uint64_t> costs = {7, 5, 5, 3, 3, 2, 2, 1, 1, 40, 1, 1};
  std::mutex mutex;
  uint64_t used = 0;
  std::vector<int> runs(costs.size(), 0);
  bool kept = true;
  run_jobs(costs, {8, 10}, [&](size_t job) {
    {
      const std::lock_guard<std::mutex> lock(mutex);
      used += costs[job];
      kept = kept && (used <= 10 || used == costs[job]);
      ++runs[job];
    }
    const std::lock_guard<std::mutex> lock(mutex);
    used -= costs[job];
  });
  CHECK(kept);
  CHECK(std::count(runs.begin(), runs.end(), 1) == static_cast<std::ptrdiff_t>(costs.size()));
}

TEST_CASE("an exception is rethrown when the other jobs have run") {
  std::atomic<int> ran = 0;
  const auto work = [&ran](size_t job) {
    if (job == 1) throw std::runtime_error("no memory");
    ++ran;
  };
  CHECK_THROWS_WITH(run_jobs({1, 1, 1, 1}, {2, 2}, work), "no memory");
  CHECK(ran == 3);
}

}  // namespace
}  // namespace pinwheel
