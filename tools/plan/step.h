#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "matrix/settings.h"
#include "plan/action.h"
#include "plan/key.h"
#include "plan/outcome.h"

namespace pinwheel::plan {

/// The resources of the machine that a step uses while it runs.
struct Resources {
  int cores_min = 1;                      ///< starts only if this many are free
  int cores_max = 1;                      ///< gets up to this many (MAX_JOBS)
  uint64_t memory_per_core = 0;           ///< bytes; limits the cores it gets
  std::map<std::string, int> pools = {};  ///< {"gpu", 1}, {"upload", 1}
};

/// The source of a step's predicted time (plan/predict.h).
enum class Prediction {
  guessed,   ///< nothing of the kind ever ran
  scaled,    ///< a guess, corrected by the error of the guesses for other steps
  similar,   ///< earlier runs of steps of its kind
  measured,  ///< earlier runs of the step
};
/// "guessed", "scaled", "similar", "measured".
std::string_view to_string(Prediction prediction);

/// One unit of work. `id` is "env:<digest>", "toolkit:<name>-<digest>", "build:<class>",
/// "device:<class>@<architecture>", "sdist", "test:<variant>", "test:<variant>@<image>"
/// (plan/step_id.h), "install:<variant>" or "publish:<target>".
struct Step {
  std::string id;
  /// Hex digest of everything that determines the result, as far as it is known before anything
  /// runs: the products of its needs are represented by their keys (for the key of a result see
  /// plan/reuse.h).
  std::string key;
  Action action;
  std::vector<std::string> needs = {};  ///< ids of earlier steps
  KeyParts parts = {};                  ///< the action's parts of the key
  matrix::Retry retry = {};
  std::chrono::milliseconds timeout = std::chrono::hours(3);
  Resources resources = {};
  double predicted_seconds = 0;  ///< for longest-first and for `plan` (plan/predict.h)
  /// The time that nine of ten runs do not exceed; 0: unknown, because nothing was measured.
  double predicted_p90 = 0;
  size_t predicted_runs = 0;  ///< durations behind the prediction
  Prediction prediction = Prediction::guessed;
  Axes axes = {};  ///< for reports, never part of a key
};

/// A step without its action and key: the input of a simulation (run/simulate.h).
struct TimedStep {
  std::string id;
  std::vector<size_t> needs = {};  ///< indexes of earlier steps
  Resources resources = {};
  double predicted_seconds = 0;
};

struct Plan {
  std::vector<Step> steps;  ///< topological: `needs` come first
  std::string digest;       ///< over ids and keys
};

}  // namespace pinwheel::plan
