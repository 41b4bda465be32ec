#pragma once
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "run/executor.h"

namespace pinwheel::host {

/// The local executor: one thread per running attempt. `interrupt` may be called from any thread.
class ThreadRunner final : public run::Executor {
 public:
  /// Performs one attempt on its own thread; an exception becomes an `internal` error.
  using Work = std::function<Result<run::Success>(const run::Attempt&, std::stop_token)>;

  explicit ThreadRunner(Work work);
  /// Cancels running attempts and waits for them.
  ~ThreadRunner() override;

  run::Capabilities capabilities() const override { return {}; }
  void submit(const std::vector<run::StepJob>& jobs) override;
  run::Event poll(std::chrono::steady_clock::time_point deadline) override;
  void cancel(const std::vector<std::string>& tokens) override;
  std::optional<run::Completed> collect(const std::string& token) const override;

  /// Makes `poll` return `Interrupted`, before any pending completion.
  void interrupt(int signal);

 private:
  void post(run::Event event);
  void start(const run::StepJob& job);

  Work work_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<run::Event> events_;                ///< guarded by mutex_
  run::KnownJobs jobs_;                          ///< the executor's thread only
  std::map<std::string, std::jthread> threads_;  ///< by token; the executor's thread only
};

}  // namespace pinwheel::host
