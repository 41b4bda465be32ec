#include "report/failure_cause.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/text.h"
#include "base/visible_text.h"
#include "report/error_lines.h"

namespace pinwheel::report {
namespace {

/// GitHub shows as many annotations of one level of a step.
constexpr size_t kMostAnnotations = 10;
/// Steps that are named in full.
constexpr size_t kMostSteps = 30;

/// A cause that is being gathered: its first step in full, of the others their names.
struct Gathered {
  plan::StepOutcome first;
  FailureFacts facts;
  std::vector<std::string> steps;
};

std::string also_line(const std::vector<std::string>& steps) {
  const size_t shown = std::min(steps.size(), kMostSteps);
  const std::vector<std::string> named(steps.begin() + 1,
                                       steps.begin() + static_cast<std::ptrdiff_t>(shown));
  std::string line = "the same in: " + join(named, ", ");
  if (shown < steps.size()) line += fmt::format(" and {} more", steps.size() - shown);
  return line + "\n";
}

FailureCause told(const Gathered& gathered) {
  const std::optional<Error>& error = gathered.first.error;
  std::string text = error ? error_lines(*error) : "the step failed\n";
  if (!error || !says_the_cause(*error)) {
    const std::vector<std::string>& tail = gathered.facts.log_tail;
    const size_t from = tail.size() - std::min(tail.size(), kTellingLines);
    for (size_t i = from; i < tail.size(); ++i) text += fmt::format("| {}\n", tail[i]);
  }
  if (gathered.steps.size() > 1) text += also_line(gathered.steps);
  const std::string& again = gathered.facts.again;
  if (!again.empty()) text += fmt::format("run this step again: {}\n", again);
  return {gathered.steps, std::move(text), error ? place_of(*error) : std::nullopt};
}

/// The text in a fence that no line of it closes.
std::string code_block(std::string_view text) {
  const std::string lines = visible_lines(text);
  size_t longest = 0;
  size_t run = 0;
  for (const char c : lines) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(std::max<size_t>(longest + 1, 3), '`');
  return fmt::format("{}text\n{}{}\n", fence, lines, fence);
}

}  // namespace

std::string steps_line(const std::vector<std::string>& steps) {
  if (steps.size() == 1) return steps[0];
  if (steps.size() == 2) return fmt::format("{} and {}", steps[0], steps[1]);
  return fmt::format("{} and {} more", steps[0], steps.size() - 1);
}

std::string markdown_text(std::string text) {
  for (const auto& [from, to] :
       {std::pair{"&", "&amp;"}, {"<", "&lt;"}, {"|", "\\|"}, {"\r", ""}, {"\n", " "}}) {
    text = replace_all(std::move(text), from, to);
  }
  return text;
}

size_t annotations_shown(size_t count) {
  return count <= kMostAnnotations ? count : kMostAnnotations - 1;
}

std::vector<FailureCause> failure_causes(
    const plan::Report& report,
    const std::function<FailureFacts(const plan::StepOutcome&)>& facts) {
  std::vector<Gathered> causes;
  std::map<std::string, size_t> index;  // by what the failures have in common
  for (const plan::StepOutcome& outcome : report.outcomes) {
    if (outcome.state != plan::StepState::failed) continue;
    FailureFacts known = facts(outcome);
    const auto [at, is_new] = index.emplace(common_cause(outcome, known), causes.size());
    if (is_new) causes.push_back({outcome, std::move(known), {}});
    causes[at->second].steps.push_back(outcome.id);
  }
  std::vector<FailureCause> out;
  out.reserve(causes.size());
  for (const Gathered& each : causes) out.push_back(told(each));
  return out;
}

std::vector<Annotation> annotations_of(const std::vector<FailureCause>& causes) {
  std::vector<Annotation> out;
  const size_t shown = annotations_shown(causes.size());
  for (size_t i = 0; i < shown; ++i) {
    std::string text = causes[i].text;
    if (text.ends_with('\n')) text.pop_back();
    out.push_back({AnnotationLevel::error, steps_line(causes[i].steps) + " failed", std::move(text),
                   causes[i].at});
  }
  if (shown < causes.size()) {
    out.push_back({AnnotationLevel::error, fmt::format("{} more causes", causes.size() - shown),
                   "the step summary has all of them"});
  }
  return out;
}

std::string causes_markdown(const std::vector<FailureCause>& causes) {
  std::string out;
  for (const FailureCause& cause : causes) {
    out += fmt::format("\n#### {} failed\n\n{}", quoted(steps_line(cause.steps)),
                       code_block(cause.text));
  }
  return out;
}

std::string error_markdown(const Error& error) {
  return "### pinwheel\n\n" + code_block(error_lines(error));
}

}  // namespace pinwheel::report
