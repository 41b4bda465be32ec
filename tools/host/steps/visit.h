#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "host/machine/workplace.h"
#include "ports/process.h"
#include "run/runner.h"

namespace pinwheel::host {

/// A command to run instead of the step's, in its environment.
struct Visit {
  std::vector<std::string> argv = {};  ///< empty: a shell
  std::string title = {};              ///< of the shell's prompt
  /// Told what the step itself would run there, before the shell starts.
  std::function<void(std::string_view)> note = [](std::string_view) {};
};

/// Makes all that a build or a test stands on as the step itself does (environment, toolkit,
/// source, the overlay with its wheel), then runs the visit there in the foreground, with the
/// directory and exactly the variables of the step's command; a shell on a terminal gets what it
/// must know of the terminal as well. The source is a copy in `attempt.scratch`. A test whose wheel
/// is not among `attempt.needs` is visited without it. How the visit ended is a value; an error
/// means that it could not begin. `usage` for a step that runs no command.
Result<ports::Exit> visit(const Workplace& workplace, const run::Attempt& attempt,
                          const Visit& visit);

}  // namespace pinwheel::host
