#pragma once
#include <chrono>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "plan/step.h"

namespace pinwheel::plan {

/// Durations of successful runs, the oldest first.
using Samples = std::vector<std::chrono::milliseconds>;

/// The number of durations that predict the next one: older ones say little about it.
inline constexpr size_t kMostSamples = 10;

/// The durations of the steps of earlier runs: the last `kMostSamples` of each.
struct Durations {
  std::map<std::string, Samples> steps = {};  ///< by the id of the step
  std::map<std::string, Samples> kinds = {};  ///< by `prediction_kind`
};

/// Adds a duration, retries included, in place of the oldest if there are `kMostSamples`.
void add_sample(Samples& samples, std::chrono::milliseconds duration);

/// The steps that take about as long as this one: those with the same word in their id ("build"),
/// and with the same compute, architectures, command, package, hardware, image and torch, as far as
/// their key has such parts. Empty for a step without parts (records of an older pinwheel).
std::string prediction_kind(const std::string& id, const KeyParts& parts);

/// The middle of some durations, and the 90th percentile (the nearest rank). In seconds.
struct Spread {
  double p50 = 0;
  double p90 = 0;

  bool operator==(const Spread&) const = default;
};

/// At least one duration.
Spread spread_of(const Samples& samples);

/// The guess for a build that never ran: a constant, and a share for each source file that it
/// compiles, by its size; a file of device code counts once for each GPU architecture. Without a
/// list of files, a share for each architecture. In seconds.
double guess_build(const BuildWheel& action);

/// The plan with its predictions corrected by the durations of earlier runs. A step that ran before
/// takes as long as the middle of its last durations. One that never ran takes as long as the steps
/// of its kind (`prediction_kind`). If none of them ran, it takes its guess, scaled by the error of
/// the guesses for the measured steps with the same word ("build", "test", "env"): if builds took
/// half as long as guessed, the guesses for other builds are halved. Changes no key.
Plan with_durations(Plan plan, const Durations& durations);

}  // namespace pinwheel::plan
