#pragma once
#include <chrono>
#include <map>
#include <optional>
#include <string>

#include "base/result.h"
#include "prepare/options.h"
#include "run/budget.h"

namespace pinwheel::prepare {

/// The resources that a run may use: all cores and free memory, in a job of Slurm those of the job
/// on this node, or the amounts in the options (`--jobs`, `--memory`); one GPU, one installation
/// and two uploads at a time; for one step `most_jobs`. `usage` for an option with an invalid
/// amount.
Result<run::Budget> budget_of(const std::map<std::string, std::string>& variables,
                              const RunOptions& options);

/// When the time of this run ends, by `--time-limit`, which counts from the start of the program;
/// nullopt without a limit. `usage` for an invalid time.
Result<std::optional<std::chrono::steady_clock::time_point>> end_of_time(const RunOptions& options);

/// The most jobs of one build or test: the smaller of the caller's `MAX_JOBS` and
/// `CMAKE_BUILD_PARALLEL_LEVEL`. They do not change results, so they are not part of any key.
int most_jobs(const std::map<std::string, std::string>& variables);

}  // namespace pinwheel::prepare
