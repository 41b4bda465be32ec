#pragma once
#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "matrix/settings.h"
#include "plan/action.h"

namespace pinwheel::plan {

/// What a step takes from the machine while it runs.
struct Resources {
  int cores_min = 1;                      ///< starts only when this many are free
  int cores_max = 1;                      ///< gets up to this many (MAX_JOBS)
  uint64_t memory_per_core = 0;           ///< bytes; bounds the cores it is given
  std::map<std::string, int> pools = {};  ///< {"gpu", 1}, {"upload", 1}
};

/// One unit of work. `id` is "env:<digest>", "build:<class>", "sdist", "test:<variant>" or
/// "publish:<target>".
struct Step {
  std::string id;
  std::string key;  ///< hex digest of all that decides the result (matrix.md, Keys)
  Action action;
  std::vector<std::string> needs = {};  ///< ids of earlier steps
  matrix::Retry retry = {};
  std::chrono::milliseconds timeout = std::chrono::hours(3);
  Resources resources = {};
  double predicted_seconds =
      0;  ///< for longest-first; from earlier reports, else from the arch count
};

struct Plan {
  std::vector<Step> steps;  ///< topological: `needs` come first
  std::string digest;       ///< over ids and keys
};

}  // namespace pinwheel::plan
