#pragma once
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace pinwheel::host {

/// Performs tasks in the order in which they were added, several at a time. A thread starts when a
/// task finds none idle.
class Background {
 public:
  explicit Background(size_t most_threads) : most_threads_(most_threads) {}
  ~Background();  ///< waits
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  void add(std::function<void()> task);
  /// Until everything that was added is done.
  void wait();

 private:
  void work();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_ = {};
  size_t most_threads_;
  size_t busy_ = 0;  ///< threads that perform a task
  bool ending_ = false;
  std::vector<std::thread> threads_ = {};
};

}  // namespace pinwheel::host
