#include "report/outlook_text.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/text.h"

namespace pinwheel::report {
namespace {

/// The time of day, with the day of the week if that could be misunderstood.
std::string clock_text(const run::Progress& progress, std::chrono::milliseconds left) {
  constexpr std::chrono::hours kUnclear{20};
  const std::time_t end = std::chrono::system_clock::to_time_t(progress.now + left);
  return left < kUnclear ? fmt::format("{:%H:%M}", fmt::localtime(end))
                         : fmt::format("{:%a %H:%M}", fmt::localtime(end));
}

}  // namespace

std::string end_text(const run::Progress& progress) {
  if (!progress.outlook) return {};
  const run::Outlook& outlook = *progress.outlook;
  if (outlook.overdue.count() > 0 && !outlook.path.empty()) {
    return fmt::format("at least {} left, {} is overdue by {}", format_duration(outlook.left),
                       quoted(outlook.path.front()), format_duration(outlook.overdue));
  }
  return fmt::format("~{} left, ends ~{}", format_duration(outlook.left),
                     clock_text(progress, outlook.left));
}

std::string path_text(const run::Progress& progress) {
  if (!progress.outlook) return {};
  const run::Outlook& outlook = *progress.outlook;
  std::string text = join(outlook.path, ", ");
  const size_t more = outlook.path_total - outlook.path.size();
  return more > 0 ? text + fmt::format(" and {} more", more) : text;
}

int percent_done(const run::Progress& progress) {
  if (progress.finished >= progress.total) return 100;
  double share = static_cast<double>(progress.finished) / static_cast<double>(progress.total);
  if (progress.outlook) {
    const auto elapsed = static_cast<double>(progress.elapsed.count());
    const auto left = static_cast<double>(progress.outlook->left.count());
    share = elapsed + left > 0 ? elapsed / (elapsed + left) : 0;
  }
  return std::clamp(static_cast<int>(share * 100), 0, 99);
}

std::string progress_bar(int percent, size_t width) {
  constexpr size_t kMostCells = 20;
  constexpr size_t kLeastCells = 5;
  const std::string number = fmt::format(" {}%", percent);
  const size_t around = number.size() + 2;
  if (width < around + kLeastCells) return {};
  const size_t cells = std::min(width - around, kMostCells);
  const size_t full = cells * static_cast<size_t>(percent) / 100;
  return "[" + std::string(full, '#') + std::string(cells - full, '-') + "]" + number;
}

}  // namespace pinwheel::report
