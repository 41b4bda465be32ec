#include "base/parallel.h"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <numeric>
#include <thread>

namespace pinwheel {
namespace {

/// Hands out jobs to worker threads.
class Jobs {
 public:
  Jobs(const std::vector<uint64_t>& costs, uint64_t memory, const std::function<void(size_t)>& work)
      : costs_(costs), memory_(memory), work_(work), order_(costs.size()) {
    std::iota(order_.begin(), order_.end(), size_t{0});
    std::stable_sort(order_.begin(), order_.end(),
                     [&costs](size_t left, size_t right) { return costs[left] > costs[right]; });
  }

  /// The loop of a worker thread; returns when no job is left.
  void run_worker() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (next_ < order_.size()) {
      const size_t job = order_[next_];
      if (running_ > 0 && costs_[job] > memory_ - std::min(used_, memory_)) {
        freed_.wait(lock);
        continue;
      }
      ++next_;
      ++running_;
      used_ += costs_[job];
      lock.unlock();
      run(job);
      lock.lock();
      --running_;
      used_ -= costs_[job];
      freed_.notify_all();
    }
  }

  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  void run(size_t job) {
    try {
      work_(job);
    } catch (...) {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
    }
  }

  const std::vector<uint64_t>& costs_;
  uint64_t memory_;
  const std::function<void(size_t)>& work_;
  std::vector<size_t> order_;
  std::mutex mutex_;
  std::condition_variable freed_;
  size_t next_ = 0;
  size_t running_ = 0;
  uint64_t used_ = 0;
  std::exception_ptr failure_;
};

}  // namespace

unsigned usable_processors() {
  return std::max(1U, std::thread::hardware_concurrency());
}

void run_jobs(const std::vector<uint64_t>& costs, const JobLimits& limits,
              const std::function<void(size_t)>& work) {
  Jobs jobs(costs, limits.memory, work);
  const size_t wanted = std::min<size_t>(limits.threads, costs.size());
  std::vector<std::thread> threads;
  for (size_t i = 1; i < wanted; ++i) threads.emplace_back([&jobs] { jobs.run_worker(); });
  jobs.run_worker();
  for (std::thread& thread : threads) thread.join();
  jobs.rethrow();
}

}  // namespace pinwheel
