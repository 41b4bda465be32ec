#pragma once
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace pinwheel::host {

/// Does one thing after the other, on a thread of its own that starts with the first.
class Background {
 public:
  Background() = default;
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
  bool busy_ = false;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace pinwheel::host
