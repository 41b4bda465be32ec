#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "plan/image_tests.h"
#include "plan/names.h"
#include "plan/outline.h"
#include "plan/promotion.h"
#include "run/forecast.h"

namespace pinwheel::report {

/// The forecast of a run, with its duration.
struct TimedForecast {
  std::vector<run::Forecast> steps;
  std::chrono::milliseconds total;  ///< of the run as a whole
  int cores = 1;                    ///< the cores for `total`
};

/// What `plan` shows in addition to the outline.
struct OutlineFacts {
  std::vector<plan::ImageTest> images = {};
  std::optional<plan::PromotionPath> promotion = {};
  std::optional<TimedForecast> forecast = {};
};

/// The outline as JSON, schema `pinwheel-plan/1`: variants with the images that they are tested on,
/// builds with their wheel names, tests. For a release that is promoted, the key `promotion`:
/// `through`, the variants to `install` from it, and the other `targets`. If an earlier run is on
/// record, also the key `forecast`: `seconds`, the maximum duration of a run on `cores` cores, and
/// `steps`, each with its `id`; `would` (`reuse`, `run`, or `perhaps` if a step it needs runs
/// first); `because`; `seconds`, how long the step takes if it runs; and `from`: `measured` in an
/// earlier run of the step, or `guessed`.
std::string outline_json(const plan::Outline& outline, const plan::Namings& namings,
                         const std::string& version, const OutlineFacts& facts);

}  // namespace pinwheel::report
