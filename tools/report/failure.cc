#include "report/failure.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "base/visible_text.h"

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

/// Where a number like "311t" or "3.11" of a Python ends.
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

bool says_the_cause(const Error& error) {
  return error.at || !error.causes.empty();
}

std::string common_cause(const plan::StepOutcome& outcome, const FailureFacts& facts) {
  std::string text;
  if (outcome.error) {
    text = std::string(to_string(outcome.error->kind)) + "\n";
    // The outer message names what the causes are about, such as the wheel of one Python.
    if (outcome.error->causes.empty()) text += render(*outcome.error);
    for (const Error& cause : outcome.error->causes) text += render(cause);
  }
  if (!outcome.error || !says_the_cause(*outcome.error)) {
    const size_t from = facts.log_tail.size() - std::min(facts.log_tail.size(), kTellingLines);
    for (size_t i = from; i < facts.log_tail.size(); ++i) text += facts.log_tail[i] + "\n";
  }
  text = without_names(std::move(text), outcome.id);
  // "cpython-311", "cp313t", "python3.11": one error of several Pythons.
  for (const std::string_view name : {"cpython-", "cp", "python"}) {
    text = without_python(text, name);
  }
  return without_times(text);
}

std::string ToldFailures::tell(const plan::StepOutcome& outcome, const FailureFacts& facts) {
  const auto [first, is_new] = first_.emplace(common_cause(outcome, facts), outcome.id);
  if (is_new) return failure_block(outcome, facts);
  const std::string log = outcome.log.empty() ? "" : fmt::format("; log: {}", outcome.log);
  return fmt::format("  same error as {}{}\n", quoted(first->second), log);
}

}  // namespace pinwheel::report
