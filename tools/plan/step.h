#pragma once
#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "matrix/settings.h"
#include "plan/action.h"
#include "plan/key.h"

namespace pinwheel::plan {

/// What a step takes from the machine while it runs.
struct Resources {
  int cores_min = 1;                      ///< starts only when this many are free
  int cores_max = 1;                      ///< gets up to this many (MAX_JOBS)
  uint64_t memory_per_core = 0;           ///< bytes; bounds the cores it is given
  std::map<std::string, int> pools = {};  ///< {"gpu", 1}, {"upload", 1}
};

/// Where the predicted time of a step comes from: a guess, or an earlier run of the step.
enum class Prediction { guessed, measured };

/// One unit of work. `id` is "env:<digest>", "toolkit:<name>-<digest>", "build:<class>", "sdist",
/// "test:<variant>", "test:<variant>@<image>" (plan/step_id.h) or "publish:<target>".
struct Step {
  std::string id;
  /// Hex digest of all that decides the result, as far as it is known before anything runs: what
  /// the needs will produce stands by their own keys (plan/reuse.h has the key of a result).
  std::string key;
  Action action;
  std::vector<std::string> needs = {};  ///< ids of earlier steps
  KeyParts parts = {};                  ///< what the action gives to the key
  matrix::Retry retry = {};
  std::chrono::milliseconds timeout = std::chrono::hours(3);
  Resources resources = {};
  double predicted_seconds = 0;  ///< for longest-first and what `plan` tells (plan/predict.h)
  Prediction prediction = Prediction::guessed;
};

struct Plan {
  std::vector<Step> steps;  ///< topological: `needs` come first
  std::string digest;       ///< over ids and keys
};

}  // namespace pinwheel::plan
