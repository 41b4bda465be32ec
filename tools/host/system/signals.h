#pragma once
#include <functional>
#include <thread>

#include "host/system/unique_fd.h"

namespace pinwheel::host {

/// Turns SIGINT, SIGTERM and SIGHUP into calls. The first signal calls `on_first` with its number,
/// on the watcher's thread; the second ends the process immediately with its exit code (the
/// supervisors then kill every child, and the journal's records are already durable).
///
/// Create it before any other thread: it blocks these signals in the creating thread, and new
/// threads inherit the mask. The destructor restores the mask. If no file descriptors are
/// available, the signals keep their default action and terminate the process.
class SignalWatcher {
 public:
  explicit SignalWatcher(std::function<void(int)> on_first);
  ~SignalWatcher();
  SignalWatcher(const SignalWatcher&) = delete;
  SignalWatcher& operator=(const SignalWatcher&) = delete;

 private:
  void watch();

  std::function<void(int)> on_first_;
  UniqueFd signals_;
  UniqueFd stop_;
  std::thread thread_;
};

}  // namespace pinwheel::host
