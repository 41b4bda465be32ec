#include "report/step_warning.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "base/visible_text.h"
#include "report/failure_cause.h"

namespace pinwheel::report {

std::vector<StepWarning> step_warnings(const plan::Report& report) {
  std::vector<StepWarning> out;
  for (const plan::StepOutcome& outcome : report.outcomes) {
    for (const std::string& text : outcome.warnings) {
      auto known = std::find_if(out.begin(), out.end(),
                                [&text](const StepWarning& each) { return each.text == text; });
      if (known == out.end()) known = out.insert(known, {{}, text});
      known->steps.push_back(outcome.id);
    }
  }
  return out;
}

std::string warnings_text(const std::vector<StepWarning>& warnings) {
  if (warnings.empty()) return {};
  std::string out = plural(warnings.size(), "warning") + ":\n";
  for (const StepWarning& warning : warnings) {
    out += fmt::format("  {}: {}\n", visible(steps_line(warning.steps)), visible(warning.text));
  }
  return out;
}

std::vector<Annotation> annotations_of(const std::vector<StepWarning>& warnings) {
  std::vector<Annotation> out;
  const size_t shown = annotations_shown(warnings.size());
  for (size_t i = 0; i < shown; ++i) {
    out.push_back({AnnotationLevel::warning, steps_line(warnings[i].steps), warnings[i].text});
  }
  if (shown < warnings.size()) {
    out.push_back({AnnotationLevel::warning,
                   fmt::format("{} more warnings", warnings.size() - shown),
                   "the step summary has all of them"});
  }
  return out;
}

std::string warnings_markdown(const std::vector<StepWarning>& warnings) {
  if (warnings.empty()) return {};
  std::string out = fmt::format("\n#### {}\n\n", plural(warnings.size(), "warning"));
  for (const StepWarning& warning : warnings) {
    out += fmt::format("- {}: {}\n", markdown_text(steps_line(warning.steps)),
                       markdown_text(warning.text));
  }
  return out;
}

}  // namespace pinwheel::report
