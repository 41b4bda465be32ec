#include "report/failure.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace pinwheel::report {
namespace {

/// Length of the escape sequence at the start of `text`, which starts with ESC.
size_t escape_length(std::string_view text) {
  if (text.size() < 2) return text.size();
  if (text[1] != '[') return 2;
  size_t i = 2;
  while (i < text.size() && (text[i] < 0x40 || text[i] > 0x7e)) ++i;
  return std::min(i + 1, text.size());
}

std::string printable(std::string_view line) {
  while (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  line.remove_prefix(line.rfind('\r') == std::string_view::npos ? 0 : line.rfind('\r') + 1);
  std::string out;
  while (!line.empty()) {
    const char c = line.front();
    if (c == '\x1b') {
      line.remove_prefix(escape_length(line));
      continue;
    }
    const bool control = static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    if (!control || c == '\t') out += c;
    line.remove_prefix(1);
  }
  return out;
}

void add_error(std::string& out, std::string_view head, const Error& error) {
  out += fmt::format("  {}: {}\n", head, error.message);
  if (error.at) out += fmt::format("    --> {}:{}\n", error.at->file, error.at->line);
  for (const Error& cause : error.causes) add_error(out, "caused by", cause);
}

/// The hint nearest to the fault: causes know better than what wraps them.
std::string hint_of(const Error& error) {
  for (const Error& cause : error.causes) {
    if (std::string hint = hint_of(cause); !hint.empty()) return hint;
  }
  return error.hint;
}

}  // namespace

std::vector<std::string> last_lines(std::string_view text, size_t count) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
  std::vector<std::string> lines;
  while (!text.empty() && lines.size() < count) {
    const size_t start = text.rfind('\n') == std::string_view::npos ? 0 : text.rfind('\n') + 1;
    lines.push_back(printable(text.substr(start)));
    text = text.substr(0, start == 0 ? 0 : start - 1);
  }
  std::reverse(lines.begin(), lines.end());
  return lines;
}

std::string failure_block(const plan::StepOutcome& outcome, const FailureFacts& facts) {
  std::string out;
  if (outcome.error) add_error(out, "error", *outcome.error);
  for (const std::string& line : facts.log_tail) {
    // `##[` starts a command of GitHub's older syntax wherever it stands in a line.
    out += fmt::format("  | {}\n", replace_all(line, "##[", "## ["));
  }
  if (!outcome.log.empty()) out += fmt::format("  log: {}\n", outcome.log);
  if (!facts.again.empty()) out += fmt::format("  run this step again: {}\n", facts.again);
  const std::string hint = outcome.error ? hint_of(*outcome.error) : "";
  if (!hint.empty()) out += fmt::format("  hint: {}\n", hint);
  return out;
}

}  // namespace pinwheel::report
