#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/streams.h"
#include "host/machine/workplace.h"
#include "plan/outcome.h"
#include "plan/step.h"
#include "ports/process.h"

namespace pinwheel::cli {

/// Somebody's own command, or a shell, in the place of a step (host/steps/visit.h).
struct StepVisit {
  const plan::Step& step;
  std::string title;
  std::vector<std::string> argv = {};         ///< empty: a shell
  std::vector<plan::StepOutcome> needs = {};  ///< what the step's needs left
};

/// Carries it out in a directory of its own below the state, which is gone afterwards. The exit
/// code is the visitor's: 128 and the number of the signal that ended it.
Result<int> enter_step(const host::Workplace& workplace, const StepVisit& visit, Streams& streams);

}  // namespace pinwheel::cli
