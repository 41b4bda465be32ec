#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "host/machine/workplace.h"
#include "plan/outcome.h"
#include "plan/step.h"
#include "ports/process.h"
#include "prepare/host.h"
#include "session/console.h"

namespace pinwheel::session {

/// A command or a shell to run instead of a step's own command (host/steps/step_shell.h).
struct StepEntry {
  const plan::Step& step;
  std::string title;
  std::vector<std::string> argv = {};         ///< empty: a shell
  std::vector<plan::StepOutcome> needs = {};  ///< outcomes of its needs
};

/// Runs it in a scratch directory below the state directory, which is removed afterwards. Returns
/// the command's exit code, or 128 plus the number of the signal that ended it.
Result<int> enter_step(const prepare::Host& host, const host::Workplace& workplace,
                       const StepEntry& entry, Console& console);

}  // namespace pinwheel::session
