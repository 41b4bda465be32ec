#pragma once
#include <chrono>
#include <cstdint>
#include <map>
#include <string>
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

/// The source of a step's predicted time: a guess, or an earlier run of the step.
enum class Prediction { guessed, measured };

/// One unit of work. `id` is "env:<digest>", "toolkit:<name>-<digest>", "build:<class>", "sdist",
/// "test:<variant>", "test:<variant>@<image>" (plan/step_id.h), "install:<variant>" or
/// "publish:<target>".
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
  Prediction prediction = Prediction::guessed;
  Axes axes = {};  ///< for reports, never part of a key
};

struct Plan {
  std::vector<Step> steps;  ///< topological: `needs` come first
  std::string digest;       ///< over ids and keys
};

}  // namespace pinwheel::plan
