#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "plan/reuse.h"
#include "run/history.h"

namespace pinwheel::run {

enum class Expected {
  reuse,
  run,
  perhaps,  ///< a step that it needs runs first; if its product is unchanged, nothing starts
};

/// "reuse", "run", "perhaps".
std::string_view to_string(Expected expected);

/// The forecast of a step: whether it would run, and why.
struct Forecast {
  std::string id;
  Expected expected = Expected::run;
  std::string because = {};  ///< "done 2026-01-02T03:04:05Z", "never run", "`dist/a.whl` is gone"
  /// Differences from the last time, by part of the key: "version: 1.2.0 -> 1.3.0".
  std::vector<std::string> changes = {};
  double seconds = 0;  ///< predicted duration if it runs
  double p90 = 0;      ///< nine of ten runs do not exceed it; 0: unknown
  size_t runs = 0;     ///< durations behind the prediction
  plan::Prediction prediction = plan::Prediction::guessed;
};

/// The forecast of the plan's steps, in plan order. `digests` is as for `still_valid`.
std::vector<Forecast> forecast(const plan::Plan& plan, const History& history,
                               const std::map<std::string, std::string>& digests);

/// The differences between two keys, one line per part, sorted: "version: 1.2.0 -> 1.3.0",
/// "source.digest changed", "variables.CFLAGS is new", "variables.CFLAGS is gone".
std::vector<std::string> differences(const plan::KeyParts& then, const plan::KeyParts& now);

}  // namespace pinwheel::run
