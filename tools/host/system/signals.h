#pragma once
#include <atomic>
#include <functional>
#include <optional>
#include <stop_token>
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

/// While it exists, Ctrl-C, TERM and HUP request a stop instead of ending the process; a second
/// signal ends it immediately. Create it before any other thread, like `SignalWatcher`.
class StopOnSignal {
 public:
  StopOnSignal() {
    watcher_.emplace([this](int number) {
      signal_ = number;
      stop_.request_stop();
    });
  }

  std::stop_token token() const { return stop_.get_token(); }
  /// The signal that arrived; 0 if none has.
  int signal() const { return signal_; }
  /// Stops watching and returns the signal that arrived, so that none is lost in between.
  int end() {
    watcher_.reset();
    return signal_;
  }

 private:
  std::stop_source stop_;
  std::atomic<int> signal_ = 0;
  std::optional<SignalWatcher> watcher_;  // declared last: its thread uses the others
};

}  // namespace pinwheel::host
