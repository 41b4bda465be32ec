#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "journal/forecast.h"
#include "plan/image_tests.h"
#include "plan/names.h"
#include "plan/outline.h"
#include "plan/shards.h"

namespace pinwheel::report {

/// The limit of GitHub Actions for one matrix.
constexpr size_t kGitHubRowLimit = 256;

enum class Rows { builds, tests };

/// What a run would do, with how long it takes.
struct TimedForecast {
  std::vector<journal::Forecast> steps;
  std::chrono::milliseconds total;  ///< of the run as a whole
  int cores = 1;                    ///< the cores for `total`
};

/// The outline as JSON, schema `pinwheel-plan/1`: variants with the images that they are tested on,
/// builds with their wheel names, tests. If an earlier run is on record, also the key `forecast`:
/// `seconds`, the maximum duration of a run on `cores` cores, and `steps`, each with its `id`;
/// `would` (`reuse`, `run`, or `perhaps` if a step it needs runs first); `because`; `seconds`, how
/// long the step takes if it runs; and `from`: `measured` in an earlier run of the step, or
/// `guessed`.
std::string outline_json(const plan::Outline& outline, const plan::Namings& namings,
                         const std::string& version, const std::vector<plan::ImageTest>& images,
                         const std::optional<TimedForecast>& forecast);

/// `{"include":[...]}` on one line: one row per variant (`tests`) or per class (`builds`, with the
/// axes of its representative). `variants` are those of the whole matrix. More than 256 rows are a
/// `usage` error.
Result<std::string> github_rows(const plan::Outline& outline,
                                const std::vector<matrix::Variant>& variants, Rows rows);

/// One row per non-empty shard: `{"shard":"1/4","builds":"a b","variants":"..."}`.
Result<std::string> github_shards(const std::vector<plan::Outline>& shards);

}  // namespace pinwheel::report
