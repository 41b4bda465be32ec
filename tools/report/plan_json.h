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

/// What GitHub Actions accepts in one matrix.
constexpr size_t kGitHubRowLimit = 256;

enum class Rows { builds, tests };

/// What a run would do, with how long it takes.
struct TimedForecast {
  std::vector<journal::Forecast> steps;
  std::chrono::milliseconds total;  ///< of the run as a whole
  int cores = 1;                    ///< that the total is for
};

/// The outline as JSON, schema `pinwheel-plan/1`: variants with the images that they are tested on,
/// builds with the names of their wheels, tests. If an earlier run is on record, also the key
/// `forecast`: `seconds`, what a run takes at most on `cores` cores, and `steps`, each with its
/// `id`; `would` (`reuse`, `run`, or `perhaps` if a step it needs runs first); `because`;
/// `seconds`, how long the step takes if it runs; and `from`: `measured` in an earlier run of the
/// step, or `guessed`.
std::string outline_json(const plan::Outline& outline, const plan::Namings& namings,
                         const std::string& version, const std::vector<plan::ImageTest>& images,
                         const std::optional<TimedForecast>& forecast);

/// `{"include":[...]}` on one line: a row a variant (`tests`) or a row a class (`builds`, with the
/// axes of its representative). `variants` holds the whole matrix's. More than 256 rows are a
/// `usage` error.
Result<std::string> github_rows(const plan::Outline& outline,
                                const std::vector<matrix::Variant>& variants, Rows rows);

/// One row a shard that is not empty: `{"shard":"1/4","builds":"a b","variants":"..."}`.
Result<std::string> github_shards(const std::vector<plan::Outline>& shards);

}  // namespace pinwheel::report
