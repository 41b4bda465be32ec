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

/// Lines of a log that tell one error from another.
constexpr size_t kTellingLines = 5;

/// The error and the end of the log, with the step's names replaced.
std::string cause_of(const plan::StepOutcome& outcome, const FailureFacts& facts) {
  std::string text = outcome.error ? render(*outcome.error) : std::string();
  const size_t from = facts.log_tail.size() - std::min(facts.log_tail.size(), kTellingLines);
  for (size_t i = from; i < facts.log_tail.size(); ++i) text += facts.log_tail[i] + "\n";
  const std::string name = outcome.id.substr(outcome.id.find(':') + 1);
  // Scratch directories are named after the file-system form of an id, `build-cp312-cpu`.
  for (const std::string& each : {outcome.id, replace_all(outcome.id, ":", "-"), name}) {
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

std::string ToldFailures::tell(const plan::StepOutcome& outcome, const FailureFacts& facts) {
  const auto [first, is_new] = first_.emplace(cause_of(outcome, facts), outcome.id);
  if (is_new) return failure_block(outcome, facts);
  const std::string log = outcome.log.empty() ? "" : fmt::format("; log: {}", outcome.log);
  return fmt::format("  same error as {}{}\n", quoted(first->second), log);
}

}  // namespace pinwheel::report
