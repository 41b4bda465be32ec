#pragma once
#include <chrono>
#include <map>
#include <string>

#include "plan/step.h"

namespace pinwheel::plan {

/// How long each step of earlier runs took, by id.
using Durations = std::map<std::string, std::chrono::milliseconds>;

/// The plan with its predictions corrected by what earlier runs took. A step that ran before takes
/// as long again. A step that never ran takes its guess, scaled by how far off the guesses for the
/// measured steps of its kind ("build", "test", "env") are: if builds took half as long as guessed,
/// the guesses for other builds are halved.
Plan with_durations(Plan plan, const Durations& durations);

}  // namespace pinwheel::plan
