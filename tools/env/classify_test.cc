#include "env/classify_test.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/text.h"
#include "env/first_error.h"

namespace pinwheel::env {
namespace {

using TestLines = std::vector<std::string>;

/// pytest's words of an exception, "E   ValueError: no".
std::string pytest_exception(const TestLines& lines) {
  constexpr std::string_view kMark = "E   ";
  for (const std::string& line : lines) {
    if (line.starts_with(kMark)) return std::string(trim(std::string_view(line).substr(1)));
  }
  return {};
}

/// "test_a.py::test_x: assert 1 == 2 (and 3 more)" from the summary, whose lines may be cut, and
/// from the first failure.
std::string pytest_failure(const TestLines& lines) {
  const auto head = std::ranges::find_if(lines, [](const std::string& line) {
    return line.find("= short test summary info =") != std::string::npos;
  });
  std::vector<std::string> failed;
  for (auto line = head; line != lines.end(); ++line) {
    for (const std::string_view word : {"FAILED ", "ERROR "}) {
      if (line->starts_with(word)) failed.push_back(line->substr(word.size()));
    }
  }
  const std::string exception = pytest_exception(lines);
  if (failed.empty()) return head == lines.end() ? exception : std::string();
  const size_t dash = failed.front().find(" - ");
  std::string text = failed.front().substr(0, dash);
  if (!exception.empty()) {
    text += ": " + exception;
  } else if (dash != std::string::npos) {
    text += ": " + failed.front().substr(dash + 3);
  }
  if (failed.size() > 1) text += fmt::format(" (and {} more)", failed.size() - 1);
  return text;
}

/// "test_a (t.T.test_a): AssertionError: 1 != 2".
std::string unittest_failure(const TestLines& lines) {
  for (size_t i = 1; i < lines.size(); ++i) {
    if (!lines[i - 1].starts_with("=====")) continue;
    for (const std::string_view word : {"FAIL: ", "ERROR: "}) {
      if (!lines[i].starts_with(word)) continue;
      const auto rest = lines.begin() + static_cast<std::ptrdiff_t>(i);
      const auto end = std::find_if(
          rest + 1, lines.end(), [](const std::string& line) { return line.starts_with("====="); });
      const std::string exception = python_exception({rest, end});
      const std::string name = lines[i].substr(word.size());
      return exception.empty() ? name : fmt::format("{}: {}", name, exception);
    }
  }
  return {};
}

std::string failure_in(const TestLines& lines) {
  for (std::string line : {pytest_failure(lines), unittest_failure(lines), python_exception(lines),
                           abort_reason(lines), tool_error(lines)}) {
    if (!line.empty()) return line;
  }
  return {};
}

/// Whether a signal ended the command, or a program below its shell.
bool ended_by_signal(const ports::Exit& exit) {
  constexpr int kShell = 128;
  constexpr int kSignals = 64;
  return exit.signal != 0 || (exit.code > kShell && exit.code <= kShell + kSignals);
}

/// The last line that says something.
std::string last_line(const TestLines& lines) {
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    const bool speaks = std::ranges::any_of(*line, is_alphanumeric);
    if (speaks && !line->starts_with("Aborted") && !line->starts_with("Segmentation fault")) {
      return *line;
    }
  }
  return {};
}

}  // namespace

Diagnosis classify_test(const ports::Exit& exit, std::string_view output) {
  Diagnosis diagnosis = diagnose(exit, {}, {});
  if (diagnosis.kind != ErrorKind::step) return diagnosis;
  const TestLines lines = plain_lines(output);
  if (!ended_by_signal(exit)) {
    diagnosis.line = failure_in(lines);
    return diagnosis;
  }
  std::string reason = abort_reason(lines);
  if (!reason.empty()) {
    diagnosis.line = fmt::format("{} ({})", reason, ending(exit));
  } else if (std::string last = last_line(lines); !last.empty()) {
    diagnosis.line = fmt::format("{} after the line {}", ending(exit), quoted(last));
  }
  return diagnosis;
}

}  // namespace pinwheel::env
