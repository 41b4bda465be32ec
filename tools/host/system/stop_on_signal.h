#pragma once
#include <atomic>
#include <optional>
#include <stop_token>

#include "host/system/signals.h"

namespace pinwheel::host {

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
