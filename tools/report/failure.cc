#include "report/failure.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/text.h"
#include "base/visible_text.h"
#include "report/error_lines.h"

namespace pinwheel::report {
namespace {

void add_error(std::string& out, std::string_view head, const Error& error) {
  out += fmt::format("  {}: {}\n", head, error.message);
  if (error.at) out += fmt::format("    --> {}:{}\n", error.at->file, error.at->line);
  for (const Error& cause : error.causes) add_error(out, "caused by", cause);
}

/// The hint closest to the cause: inner errors are more specific than outer ones.
std::string hint_of(const Error& error) {
  for (const Error& cause : error.causes) {
    if (std::string hint = hint_of(cause); !hint.empty()) return hint;
  }
  return error.hint;
}

/// Where the number of a Python ends, such as "311t" or "3.11".
size_t python_end(std::string_view text, size_t at) {
  if (at >= text.size() || text[at] != '3') return at;
  size_t end = at + 1;
  if (end < text.size() && text[end] == '.') ++end;
  const size_t digits = end;
  while (end < text.size() && is_digit(text[end])) ++end;
  if (end == digits) return at;
  return end < text.size() && text[end] == 't' ? end + 1 : end;
}

std::string without_python(std::string_view text, std::string_view name) {
  std::string out;
  size_t done = 0;
  for (size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, done)) {
    out += text.substr(done, at + name.size() - done);
    done = python_end(text, at + name.size());
  }
  return out + std::string(text.substr(done));
}

/// "in 0.31s" without its number.
std::string without_times(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool unit = text[i] == 's' && (i + 1 == text.size() || !is_alphanumeric(text[i + 1]));
    if (unit && !out.empty() && is_digit(out.back())) {
      while (!out.empty() && (is_digit(out.back()) || out.back() == '.')) out.pop_back();
    }
    out += text[i];
  }
  return out;
}

/// The text without the step's own names.
std::string without_names(std::string text, const std::string& id) {
  const std::string name = id.substr(id.find(':') + 1);
  // Scratch directories are named after the file-system form of an id, `build-cp312-cpu`.
  for (const std::string& each : {id, replace_all(id, ":", "-"), name}) {
    text = replace_all(std::move(text), each, "STEP");
  }
  return text;
}

}  // namespace

std::string failure_block(const plan::StepOutcome& outcome, const FailureFacts& facts) {
  std::string out;
  if (outcome.error) add_error(out, "error", *outcome.error);
  for (const std::string& line : facts.log_tail) {
    out += fmt::format("  | {}\n", line);
  }
  if (!facts.log_tail.empty()) out += fmt::format("  log: {}\n", outcome.log);
  if (!facts.again.empty()) out += fmt::format("  run this step again: {}\n", facts.again);
  const std::string hint = outcome.error ? hint_of(*outcome.error) : "";
  if (!hint.empty()) out += fmt::format("  hint: {}\n", hint);
  return without_commands(visible_lines(out));
}

namespace {

/// Whether the error alone shows what to fix: it has a place in a source, or causes. For others,
/// such as a test that ended with exit code 1, the end of the log shows it.
bool states_cause(const Error& error) {
  return error.at || !error.causes.empty();
}

}  // namespace

std::string common_cause(const plan::StepOutcome& outcome, const FailureFacts& facts) {
  std::string text;
  if (outcome.error) {
    text = std::string(to_string(outcome.error->kind)) + "\n";
    // The outer message names the subject of the causes, such as the wheel of one Python.
    if (outcome.error->causes.empty()) text += render(*outcome.error);
    for (const Error& cause : outcome.error->causes) text += render(cause);
  }
  if (!outcome.error || !states_cause(*outcome.error)) {
    const size_t from = facts.log_tail.size() - std::min(facts.log_tail.size(), kDistinctiveLines);
    for (size_t i = from; i < facts.log_tail.size(); ++i) text += facts.log_tail[i] + "\n";
  }
  text = without_names(std::move(text), outcome.id);
  // "cpython-311", "cp313t", "python3.11": the same error on several Pythons.
  for (const std::string_view name : {"cpython-", "cp", "python"}) {
    text = without_python(text, name);
  }
  return without_times(text);
}

std::string PrintedFailures::text_of(const plan::StepOutcome& outcome, const FailureFacts& facts) {
  const auto [first, is_new] = first_.emplace(common_cause(outcome, facts), outcome.id);
  if (is_new) return failure_block(outcome, facts);
  const std::string log = outcome.log.empty() ? "" : fmt::format("; log: {}", outcome.log);
  return fmt::format("  same error as {}{}\n", quoted(first->second), log);
}

namespace {

/// GitHub shows only this many annotations of one level for a step.
constexpr size_t kMostAnnotations = 10;
/// Steps that are named in full.
constexpr size_t kMostSteps = 30;

/// A cause while its failures are collected: the first step in full, and the names of the others.
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

FailureCause cause_of(const Gathered& gathered) {
  const std::optional<Error>& error = gathered.first.error;
  std::string text = error ? error_lines(*error) : "the step failed\n";
  if (!error || !states_cause(*error)) {
    const std::vector<std::string>& tail = gathered.facts.log_tail;
    const size_t from = tail.size() - std::min(tail.size(), kDistinctiveLines);
    for (size_t i = from; i < tail.size(); ++i) text += fmt::format("| {}\n", tail[i]);
  }
  if (gathered.steps.size() > 1) text += also_line(gathered.steps);
  const std::string& again = gathered.facts.again;
  if (!again.empty()) text += fmt::format("run this step again: {}\n", again);
  return {gathered.steps, std::move(text), error ? place_of(*error) : std::nullopt};
}

/// The text in a code fence that none of its lines closes.
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
  std::map<std::string, size_t> index;  // by the common part of the failures
  for (const plan::StepOutcome& outcome : report.outcomes) {
    if (outcome.state != plan::StepState::failed) continue;
    FailureFacts known = facts(outcome);
    const auto [at, is_new] = index.emplace(common_cause(outcome, known), causes.size());
    if (is_new) causes.push_back({outcome, std::move(known), {}});
    causes[at->second].steps.push_back(outcome.id);
  }
  std::vector<FailureCause> out;
  out.reserve(causes.size());
  for (const Gathered& each : causes) out.push_back(cause_of(each));
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
