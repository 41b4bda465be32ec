#include "host/index/upload_hooks.h"

#include <random>
#include <utility>

#include "host/system/clock.h"

namespace pinwheel::host {

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
