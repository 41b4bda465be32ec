#pragma once
#include <functional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "plan/outcome.h"
#include "report/failure.h"

namespace pinwheel::report {

/// The dependencies of a status printer.
struct Printer {
  /// Takes whole lines, in color.
  std::function<void(std::string_view)> out;
  /// Takes a workflow command for a GitHub runner, a whole line.
  std::function<void(std::string_view)> command = {};
  /// Gathers the facts about a failed step.
  std::function<FailureFacts(const plan::StepOutcome&)> facts;
  Color color = Color::never;
  size_t columns = 0;  ///< of the terminal, for tables; 0: unlimited
  /// The end of the log at this path; may be empty.
  std::function<std::string(const std::string& log)> log_end = {};
};

}  // namespace pinwheel::report
