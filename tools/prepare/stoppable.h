#pragma once
#include <functional>
#include <stop_token>

#include "base/result.h"
#include "host/system/signals.h"

namespace pinwheel::prepare {

/// The error of a command stopped by a signal before its first step: `interrupted` for SIGINT, else
/// `terminated`.
inline Error stopped_by(int signal) {
  return {kind_of_stop(signal), "stopped before the first step", std::nullopt,
          "nothing is left behind; run it again"};
}

/// Runs the preparation of a command: images, resolutions, locks. Meanwhile Ctrl-C, TERM and HUP
/// request a stop on the token instead of ending pinwheel; machines whose workplace has that token
/// terminate their processes and containers. A second signal ends pinwheel immediately.
template <class T>
Result<T> stoppable(const std::function<Result<T>(std::stop_token)>& prepare) {
  host::StopOnSignal stop;
  Result<T> result = prepare(stop.token());
  const int signal = stop.end();
  if (signal != 0) return fail(stopped_by(signal));
  return result;
}

}  // namespace pinwheel::prepare
