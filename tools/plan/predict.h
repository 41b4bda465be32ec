#pragma once
#include <chrono>
#include <map>
#include <string>

#include "plan/step.h"

namespace pinwheel::plan {

/// The durations of the steps of earlier runs, by id.
using Durations = std::map<std::string, std::chrono::milliseconds>;

/// The plan with its predictions corrected by the durations of earlier runs. A step that ran before
/// takes as long again. A step that never ran takes its guess, scaled by the error of the guesses
/// for the measured steps of its kind ("build", "test", "env"): if builds took half as long as
/// guessed, the guesses for other builds are halved.
Plan with_durations(Plan plan, const Durations& durations);

}  // namespace pinwheel::plan
