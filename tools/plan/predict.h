#pragma once
#include <chrono>
#include <map>
#include <string>

#include "plan/step.h"

namespace pinwheel::plan {

/// How long each step of earlier runs took, by its id.
using Durations = std::map<std::string, std::chrono::milliseconds>;

/// The plan with the predictions of its steps by what earlier runs took. A step that ran before
/// takes as long again. One that never ran takes its guess, times the ratio of what the known steps
/// of its kind ("build", "test", "env") took to what was guessed of them: builds that took half as
/// long as guessed halve the guesses of the other builds.
Plan with_durations(Plan plan, const Durations& durations);

}  // namespace pinwheel::plan
