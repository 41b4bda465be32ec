#pragma once
#include <functional>
#include <thread>

#include "host/system/unique_fd.h"

namespace pinwheel::host {

/// Turns SIGINT, SIGTERM and SIGHUP into calls. The first one calls `on_first` with its number,
/// from a thread of the watcher; the second ends the process at once with 128 + its number (the
/// supervisors then kill every child, and each record of the journal is durable already).
///
/// Made before any other thread: it blocks these signals in the thread that makes it, and threads
/// inherit that. The destructor restores them. A process that has no descriptors left for it keeps
/// what the signals do by default: they end it at once.
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
