#include "report/error_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace pinwheel::report {
namespace {

/// Nobody reads more causes than these in an annotation.
constexpr size_t kMostCauses = 10;

class ErrorLines {
 public:
  void add(const Error& error) {
    text_ += error.message;
    if (error.at && error.at->line > 0) {
      text_ += fmt::format(" ({}:{})", error.at->file, error.at->line);
    }
    text_ += "\n";
    const size_t shown = std::min(error.causes.size(), kMostCauses);
    for (size_t i = 0; i < shown; ++i) add(error.causes[i]);
    if (shown < error.causes.size()) {
      text_ += fmt::format("and {} more\n", error.causes.size() - shown);
    }
    if (!error.hint.empty() && hints_.insert(error.hint).second) {
      text_ += fmt::format("hint: {}\n", error.hint);
    }
  }

  std::string take() { return std::move(text_); }

 private:
  std::string text_;
  std::set<std::string> hints_;
};

}  // namespace

std::string error_lines(const Error& error) {
  ErrorLines lines;
  lines.add(error);
  return lines.take();
}

std::optional<Location> place_of(const Error& error) {
  if (error.at) return error.at;
  for (const Error& cause : error.causes) {
    if (std::optional<Location> place = place_of(cause)) return place;
  }
  return std::nullopt;
}

}  // namespace pinwheel::report
