#pragma once
#include <atomic>
#include <optional>
#include <stop_token>

#include "host/system/signals.h"

namespace pinwheel::host {

/// While it exists, Ctrl-C, TERM and HUP ask for a stop instead of ending the process; a second one
/// ends it at once. Made before any other thread, as `SignalWatcher` is.
class StopOnSignal {
 public:
  StopOnSignal() {
    watcher_.emplace([this](int number) {
      signal_ = number;
      stop_.request_stop();
    });
  }

  std::stop_token token() const { return stop_.get_token(); }
  /// The signal that came; 0 while none did.
  int signal() const { return signal_; }
  /// Stops watching; returns the signal that came until then, so that none is lost in between.
  int end() {
    watcher_.reset();
    return signal_;
  }

 private:
  std::stop_source stop_;
  std::atomic<int> signal_ = 0;
  std::optional<SignalWatcher> watcher_;  // the last: its thread uses the others
};

}  // namespace pinwheel::host
