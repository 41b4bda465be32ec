#include "report/failure.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

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

}  // namespace

std::string failure_block(const plan::StepOutcome& outcome, const FailureFacts& facts) {
  std::string out;
  if (outcome.error) add_error(out, "error", *outcome.error);
  for (const std::string& line : facts.log_tail) {
    // `##[` starts a command in GitHub's older syntax anywhere in a line.
    out += fmt::format("  | {}\n", replace_all(line, "##[", "## ["));
  }
  if (!facts.log_tail.empty()) out += fmt::format("  log: {}\n", outcome.log);
  if (!facts.again.empty()) out += fmt::format("  run this step again: {}\n", facts.again);
  const std::string hint = outcome.error ? hint_of(*outcome.error) : "";
  if (!hint.empty()) out += fmt::format("  hint: {}\n", hint);
  return out;
}

}  // namespace pinwheel::report
