#include "report/forecast_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "report/plan_text.h"

namespace pinwheel::report {
namespace {

std::string_view word(journal::Expected expected) {
  switch (expected) {
    case journal::Expected::reuse:
      return "reuse";
    case journal::Expected::run:
      return "run";
    case journal::Expected::perhaps:
      return "perhaps";
  }
  return {};
}

/// "test" of steps that come in numbers; empty for those that are worth a line each.
std::string kind_of(const std::string& id) {
  if (id.starts_with("test:")) return "test";
  if (id.starts_with("env:")) return "environment";
  return {};
}

/// A reuse is as good whenever it was done: times would only keep equal steps apart.
std::string reason_in_table(const journal::Forecast& step) {
  const bool many = !kind_of(step.id).empty();
  return many && step.expected == journal::Expected::reuse ? "done before" : step.because;
}

std::string age_text(std::chrono::seconds age) {
  const auto days = std::chrono::floor<std::chrono::days>(age).count();
  if (days > 0) return plural(static_cast<size_t>(days), "day") + " ago";
  const auto hours = std::chrono::floor<std::chrono::hours>(age).count();
  if (hours > 0) return plural(static_cast<size_t>(hours), "hour") + " ago";
  return "within the hour";
}

}  // namespace

std::string forecast_table(const std::vector<journal::Forecast>& steps) {
  struct Line {
    std::string kind;
    size_t count = 0;
    const journal::Forecast* first = nullptr;
  };
  std::vector<Line> lines;
  for (const journal::Forecast& step : steps) {
    const std::string kind = kind_of(step.id);
    const auto same = std::find_if(lines.begin(), lines.end(), [&](const Line& line) {
      return !kind.empty() && line.kind == kind && line.first->expected == step.expected &&
             reason_in_table(*line.first) == reason_in_table(step) &&
             line.first->changes == step.changes;
    });
    if (same == lines.end()) {
      lines.push_back({kind, 1, &step});
    } else {
      ++same->count;
    }
  }
  std::vector<std::vector<std::string>> rows = {{"step", "would", "because"}};
  for (const Line& line : lines) {
    std::string because = reason_in_table(*line.first);
    if (!line.first->changes.empty()) because += ": " + join(line.first->changes, ", ");
    rows.push_back({line.count == 1 ? line.first->id : plural(line.count, line.kind),
                    std::string(word(line.first->expected)), std::move(because)});
  }
  return align_columns(rows);
}

std::string forecast_lines(const journal::Forecast& step) {
  std::string verb = step.expected == journal::Expected::reuse ? "would be reused" : "would run";
  if (step.expected == journal::Expected::perhaps) verb = "would run unless nothing changed";
  std::string out = fmt::format("  {} {}: {}\n", step.id, verb, step.because);
  for (const std::string& change : step.changes) out += fmt::format("    {}\n", change);
  return out;
}

std::string resolutions_line(const std::vector<std::optional<std::chrono::seconds>>& ages) {
  size_t resolved = 0;
  std::chrono::seconds oldest{0};
  for (const auto& age : ages) {
    if (!age) continue;
    ++resolved;
    oldest = std::max(oldest, *age);
  }
  std::string out;
  if (resolved > 0) {
    out = fmt::format("{} resolved, the oldest {}; `--refresh` resolves anew\n",
                      plural(resolved, "environment"), age_text(oldest));
  }
  if (resolved < ages.size()) {
    out += fmt::format("{} still to be resolved\n", plural(ages.size() - resolved, "environment"));
  }
  return out;
}

}  // namespace pinwheel::report
