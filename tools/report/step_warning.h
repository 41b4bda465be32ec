#pragma once
#include <string>
#include <vector>

#include "plan/outcome.h"
#include "report/github_command.h"

namespace pinwheel::report {

/// A warning about the results of one or more steps, such as a finding about a wheel.
struct StepWarning {
  std::vector<std::string> steps;  ///< in plan order, at least one
  std::string text;                ///< one line, from outside
};

/// The warnings of all steps, also of those that were reused; equal ones together, in plan order.
std::vector<StepWarning> step_warnings(const plan::Report& report);

/// "2 warnings:" and a line for each, as visible text; empty without any.
std::string warnings_text(const std::vector<StepWarning>& warnings);

/// An annotation for each; of many the last says how many there are, since GitHub drops what is
/// above ten.
std::vector<Annotation> annotations_of(const std::vector<StepWarning>& warnings);

/// The warnings as a list in Markdown under a heading; empty without any.
std::string warnings_markdown(const std::vector<StepWarning>& warnings);

}  // namespace pinwheel::report
