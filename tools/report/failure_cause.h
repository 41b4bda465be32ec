#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "plan/outcome.h"
#include "report/failure.h"
#include "report/github_command.h"

namespace pinwheel::report {

/// What made one or more steps of a run fail.
struct FailureCause {
  std::vector<std::string> steps;  ///< in plan order, at least one
  std::string text;                ///< lines for people: the error, the other steps, what to run
  std::optional<Location> at = {};
};

/// "build:a", "build:a and build:b", "build:a and 3 more".
std::string steps_line(const std::vector<std::string>& steps);

/// The text as Markdown on one line, also in a cell of a table.
std::string markdown_text(std::string text);

/// How many of so many annotations of one level are shown: GitHub drops what is above ten, and if
/// there are more, the last one says so.
size_t annotations_shown(size_t count);

/// The failures of a run by cause, in plan order. `facts` is asked once for each failed step.
std::vector<FailureCause> failure_causes(
    const plan::Report& report, const std::function<FailureFacts(const plan::StepOutcome&)>& facts);

/// An annotation for each cause; of many the last says how many there are, since GitHub drops what
/// is above ten.
std::vector<Annotation> annotations_of(const std::vector<FailureCause>& causes);

/// The causes as Markdown for a step summary, each under its steps; empty without any.
std::string causes_markdown(const std::vector<FailureCause>& causes);

/// The error that ended a command as Markdown for a step summary.
std::string error_markdown(const Error& error);

}  // namespace pinwheel::report
