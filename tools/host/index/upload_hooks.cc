#include "host/index/upload_hooks.h"

#include <condition_variable>
#include <mutex>
#include <random>
#include <utility>

namespace pinwheel::host {
namespace {

bool wait_unless_stopped(std::chrono::milliseconds delay, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any woken;
  std::unique_lock lock(mutex);
  woken.wait_for(lock, stop, delay, [] { return false; });
  return !stop.stop_requested();
}

}  // namespace

UploadHooks waiting_hooks(std::stop_token stop) {
  UploadHooks hooks;
  hooks.sleep = [stop = std::move(stop)](std::chrono::milliseconds delay) {
    return wait_unless_stopped(delay, stop);
  };
  hooks.jitter = [engine = std::mt19937_64(std::random_device{}())]() mutable {
    return std::uniform_real_distribution<double>(0, 1)(engine);
  };
  return hooks;
}

}  // namespace pinwheel::host
