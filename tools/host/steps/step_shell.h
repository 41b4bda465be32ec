#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "host/machine/workplace.h"
#include "ports/process.h"
#include "run/attempt.h"

namespace pinwheel::host {

/// A command to run instead of the step's, in its environment.
struct StepShell {
  std::vector<std::string> argv = {};  ///< empty: a shell
  std::string title = {};              ///< of the shell's prompt
  /// Called with the step's own command before the shell starts.
  std::function<void(std::string_view)> note = [](std::string_view) {};
};

/// Prepares a build or a test as the step itself does (environment, toolkit, source, the overlay
/// with its wheel), then runs the command or shell there in the foreground, with the directory and
/// exactly the variables of the step's command; a shell on a terminal gets the terminal's variables
/// as well. The source is a copy in `attempt.scratch`. A test whose wheel is not among
/// `attempt.needs` is entered without it. The command's exit is a value; an error means that it
/// could not start. `usage` for a step that runs no command.
Result<ports::Exit> run_in_step(const Workplace& workplace, const run::Attempt& attempt,
                                const StepShell& shell);

}  // namespace pinwheel::host
