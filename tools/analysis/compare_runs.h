#pragma once
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "plan/outcome.h"
#include "plan/predict.h"

namespace pinwheel::analysis {

/// How long a step took in the runs before: the nearest ranks of the last `plan::kMostSamples`
/// durations, of which the 90th is rounded down.
struct UsualDuration {
  size_t runs = 0;
  std::chrono::milliseconds p10{0};
  std::chrono::milliseconds p50{0};
  std::chrono::milliseconds p90{0};

  bool operator==(const UsualDuration&) const = default;
};

/// The durations of steps up to the earlier run, the oldest first, by step.
using EarlierDurations = std::map<std::string, plan::Samples>;

/// A step of two runs.
struct ComparedStep {
  std::string id;
  plan::StepState before = plan::StepState::done;
  plan::StepState after = plan::StepState::done;
  std::chrono::milliseconds took{0};       ///< before; its own work
  std::chrono::milliseconds now_takes{0};  ///< after
  plan::Evidence evidence = plan::Evidence::none;
  plan::Evidence now_evidence = plan::Evidence::none;
  std::string reason = {};  ///< why it fails or is skipped now; empty: unknown
  std::optional<UsualDuration> usual = std::nullopt;  ///< if enough earlier runs are known
};

/// A file that a step made in both runs, or in one of them, by its name without the
/// version.
struct ComparedFile {
  std::string step;
  std::optional<plan::Output> before = std::nullopt;
  std::optional<plan::Output> after = std::nullopt;
};

/// What a run does that an earlier one did not, each list in the order of the later run.
struct RunComparison {
  std::vector<ComparedStep> newly_red = {};  ///< failed now, and did not, or are new
  std::vector<ComparedStep> newly_blocked =
      {};  ///< had a result; now none, as a step before failed
  std::vector<ComparedStep> newly_skipped = {};
  /// Stopped before their end: interrupted, or builds that continue in a later run.
  std::vector<ComparedStep> stopped = {};
  std::vector<ComparedStep> too_little_evidence = {};  ///< for their publication; passed or skipped
  std::vector<ComparedStep> less_evidence = {};        ///< of tests that passed
  std::vector<ComparedStep> still_red = {};
  std::vector<ComparedStep> fixed = {};   ///< failed before, and passed now
  std::vector<ComparedStep> slower = {};  ///< the largest difference first
  std::vector<ComparedStep> faster = {};  ///< the same
  std::vector<std::string> gained = {};   ///< ids that only the later run has
  std::vector<std::string> lost = {};     ///< in the order of the earlier run
  std::vector<ComparedFile> files = {};   ///< wheels and sdists that differ
  size_t shared = 0;                      ///< steps in both
  size_t timed = 0;                       ///< steps whose durations were compared
  size_t with_usual = 0;                  ///< of these, steps with a `usual` duration
  size_t within_usual = 0;  ///< differences above the limits that are usual for their steps
};

/// A step is slower or faster if its duration differs by more than both of these: below them, times
/// of one build differ between machines and runs as much.
inline constexpr std::chrono::seconds kLeastDifference{5};
inline constexpr int kLeastPercent = 10;
/// With so many durations of earlier runs, it must also be unusual: further from their median than
/// twice the distance of the 90th percentile (if it is slower) or of the 10th (if it is faster).
inline constexpr size_t kLeastSamples = 3;

/// Compares the steps of two runs by id. Durations are compared if the step was executed for both
/// results: not of one result that both runs used, and not of one whose run is unknown. Of several
/// outcomes of a step, as in the reports of several jobs, the last that is not blocked or reused
/// counts. A step that passed or was skipped, and yet has an error, is a test with too little
/// evidence.
RunComparison compare_runs(const std::vector<plan::StepOutcome>& before,
                           const std::vector<plan::StepOutcome>& after,
                           const EarlierDurations& earlier = {});

/// Whether the later run is worse: it has newly red, blocked or skipped steps, stopped steps, or
/// tests with less evidence or too little.
bool is_worse(const RunComparison& comparison);

}  // namespace pinwheel::analysis
