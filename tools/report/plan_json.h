#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "plan/changed_since.h"
#include "plan/image_tests.h"
#include "plan/names.h"
#include "plan/outline.h"
#include "plan/promotion.h"
#include "report/forecast_text.h"

namespace pinwheel::report {

/// What `plan` shows in addition to the outline.
struct OutlineFacts {
  std::vector<plan::ImageTest> images = {};
  std::optional<plan::PromotionPath> promotion = {};
  std::optional<TimedForecast> forecast = {};
  std::optional<plan::ChangedSince> since = {};
};

/// The outline as JSON, schema `pinwheel-plan/1`: variants with the images that they are tested on,
/// builds with their wheel names, tests. For a release that is promoted, the key `promotion`:
/// `through`, the variants to `install` from it, and the other `targets`. The key `forecast` has
/// `seconds`, the maximum duration of a run on `cores` cores, or with `slots` steps at a time;
/// `bound`, the seconds that no schedule can beat; `work`, the sum of all steps; `critical-path`,
/// its `seconds` and `steps`; and `steps`, each with its `id`; `would` (`reuse`, `run`, or
/// `perhaps` if a step it needs runs first) and `because`, if an earlier run is on record;
/// `seconds`, how long the step takes if it runs, the middle of earlier durations; `p90`, their
/// 90th percentile, or null; `runs`, their number; and `from`: `measured` in earlier runs of the
/// step, `similar` steps, `scaled` by them, or `guessed`. With `--changed-since`, the key
/// `changed-since` is `since_json`.
std::string outline_json(const plan::Outline& outline, const plan::Namings& namings,
                         const std::string& version, const OutlineFacts& facts);

}  // namespace pinwheel::report
