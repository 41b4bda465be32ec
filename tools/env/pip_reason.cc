#include "env/pip_reason.h"

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "env/first_error.h"

namespace pinwheel::env {
namespace {

using Lines = std::vector<std::string>;

bool starts_with_one_of(std::string_view line, const std::vector<std::string_view>& starts) {
  return std::any_of(starts.begin(), starts.end(),
                     [line](std::string_view start) { return line.starts_with(start); });
}

/// pip's own words around the reason.
bool is_frame(std::string_view line) {
  return line.empty() ||
         starts_with_one_of(
             line, {"hint:", "note:", "[notice]", "[end of output]", "×", "╰─>", "│",
                    "error: metadata-generation-failed", "error: subprocess-exited-with-error",
                    "ERROR: Failed to build", "ERROR: Failed building wheel", "Failed to build",
                    "Running setup.py clean", "full command:", "cwd:"});
}

/// The output of the last build backend that failed: the lines between pip's two marks.
Lines backend_output(const Lines& lines) {
  const auto ends = [](const std::string& line) { return line == "[end of output]"; };
  const auto end = std::find_if(lines.rbegin(), lines.rend(), ends);
  if (end == lines.rend()) return {};
  const auto begin = std::find_if(end, lines.rend(), [](const std::string& line) {
    return line.starts_with("╰─> [") && line.ends_with("of output]");
  });
  return {begin.base(), end.base() - 1};
}

template <class Iterator, class Test>
std::string first_in(Iterator begin, Iterator end, Test test) {
  const auto found = std::find_if(begin, end, test);
  return found == end ? std::string() : *found;
}

}  // namespace

std::string pip_reason(std::string_view output) {
  Lines lines;
  for (const std::string& line : split(output, '\n')) lines.emplace_back(trim(line));
  const Lines inner = backend_output(lines);
  std::string reason = first_error(inner);
  const auto is_text = [](const std::string& line) { return !is_frame(line); };
  if (reason.empty()) reason = first_in(inner.rbegin(), inner.rend(), is_text);
  if (reason.empty()) reason = first_in(lines.rbegin(), lines.rend(), is_text);
  return reason;
}

}  // namespace pinwheel::env
