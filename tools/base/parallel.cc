#include "base/parallel.h"

#include <algorithm>
#include <exception>
#include <mutex>
#include <numeric>
#include <thread>
#include <utility>

namespace pinwheel {
namespace {

/// Hands out jobs to worker threads, under the lock of their crew.
class Jobs {
 public:
  Jobs(const std::vector<uint64_t>& costs, uint64_t memory, Crew& crew,
       const std::function<void(size_t)>& work)
      : costs_(costs), memory_(memory), crew_(crew), work_(work), order_(costs.size()) {
    std::iota(order_.begin(), order_.end(), size_t{0});
    std::stable_sort(order_.begin(), order_.end(),
                     [&costs](size_t left, size_t right) { return costs[left] > costs[right]; });
  }

  /// The loop of a worker thread; returns when no job is waiting or running.
  void run_worker() {
    Crew::Lock lock = crew_.lock();
    while (next_ < order_.size() || running_ > 0) {
      if (crew_.help(lock)) continue;
      if (can_start()) {
        run_next(lock);
      } else {
        crew_.wait(lock);
      }
    }
  }

  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  bool can_start() const {
    if (next_ == order_.size()) return false;
    return running_ == 0 || costs_[order_[next_]] <= memory_ - std::min(used_, memory_);
  }

  void run_next(Crew::Lock& lock) {
    const size_t job = order_[next_];
    ++next_;
    ++running_;
    used_ += costs_[job];
    lock.unlock();
    std::exception_ptr failure;
    try {
      work_(job);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    if (!failure_) failure_ = failure;
    --running_;
    used_ -= costs_[job];
    crew_.announce();
  }

  const std::vector<uint64_t>& costs_;
  uint64_t memory_;
  Crew& crew_;
  const std::function<void(size_t)>& work_;
  std::vector<size_t> order_;
  size_t next_ = 0;
  size_t running_ = 0;
  uint64_t used_ = 0;
  std::exception_ptr failure_;
};

void run_on(size_t threads, Jobs& jobs) {
  std::vector<std::thread> others;
  for (size_t i = 1; i < threads; ++i) others.emplace_back([&jobs] { jobs.run_worker(); });
  jobs.run_worker();
  for (std::thread& thread : others) thread.join();
  jobs.rethrow();
}

}  // namespace

unsigned usable_processors() {
  return std::max(1U, std::thread::hardware_concurrency());
}

void run_jobs(const std::vector<uint64_t>& costs, const JobLimits& limits,
              const std::function<void(size_t)>& work) {
  Crew crew;
  Jobs jobs(costs, limits.memory, crew, work);
  run_on(std::min<size_t>(limits.threads, costs.size()), jobs);
}

void run_jobs(const std::vector<uint64_t>& costs, const JobLimits& limits, Crew& crew,
              const std::function<void(size_t)>& work) {
  Jobs jobs(costs, limits.memory, crew, work);
  constexpr size_t kThreadsPerJob = 2;  // one makes pieces, one processes them
  run_on(std::min<size_t>(limits.threads, kThreadsPerJob * costs.size()), jobs);
}

Done try_jobs(const std::vector<uint64_t>& costs, const JobLimits& limits,
              const std::function<Done(size_t)>& work) {
  std::mutex mutex;
  Done first;
  const auto failed = [&] {
    const std::lock_guard lock(mutex);
    return !first.has_value();
  };
  run_jobs(costs, limits, [&](size_t i) {
    if (failed()) return;
    Done done = work(i);
    const std::lock_guard lock(mutex);
    if (first && !done) first = std::move(done);
  });
  return first;
}

}  // namespace pinwheel
