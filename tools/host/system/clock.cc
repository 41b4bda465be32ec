#include "host/system/clock.h"

#include <condition_variable>
#include <mutex>

namespace pinwheel::host {

std::chrono::system_clock::time_point SystemClock::now() const {
  return std::chrono::system_clock::now();
}

std::chrono::steady_clock::time_point SystemClock::steady() const {
  return std::chrono::steady_clock::now();
}

bool wait_unless_stopped(std::chrono::milliseconds delay, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any woken;
  std::unique_lock lock(mutex);
  woken.wait_for(lock, stop, delay, [] { return false; });
  return !stop.stop_requested();
}

}  // namespace pinwheel::host
