#pragma once
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

#include "run/runner.h"

namespace pinwheel::host {

/// One thread per running attempt. `start`, `wait` and `cancel_all` are called from the executor's
/// thread; `interrupt` from any.
class ThreadRunner final : public run::Runner {
 public:
  /// Performs one attempt on its own thread; an exception becomes an `internal` error.
  using Work = std::function<Result<run::Success>(const run::Attempt&, std::stop_token)>;

  explicit ThreadRunner(Work work);
  /// Cancels running attempts and waits for them.
  ~ThreadRunner() override;

  void start(const run::Attempt& attempt) override;
  run::Event wait(std::chrono::steady_clock::time_point deadline) override;
  void cancel_all() override;

  /// Makes `wait` return `Interrupted`, before any pending completion.
  void interrupt(int signal);

 private:
  void post(run::Event event);

  Work work_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<run::Event> events_;                ///< guarded by mutex_
  std::map<std::string, std::jthread> threads_;  ///< by step id; the executor's thread only
};

}  // namespace pinwheel::host
