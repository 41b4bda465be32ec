#include "report/forecast_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "plan/step_id.h"
#include "report/table.h"

namespace pinwheel::report {
namespace {

/// The name of the steps that share a line with this one, "test"; empty for a step with a line of
/// its own.
std::string group_of(const std::string& id) {
  const std::optional<plan::StepKind> kind = plan::kind_of_step(id);
  if (kind == plan::StepKind::test) return "test";
  if (kind == plan::StepKind::environment) return "environment";
  if (kind == plan::StepKind::install) return "install test";
  return {};
}

/// The time of a reused result does not matter: it would only separate equal steps.
std::string reason_in_table(const run::Forecast& step) {
  const bool many = !group_of(step.id).empty();
  return many && step.expected == run::Expected::reuse ? "done before" : step.because;
}

std::string age_text(std::chrono::seconds age) {
  const auto days = std::chrono::floor<std::chrono::days>(age).count();
  if (days > 0) return plural(static_cast<size_t>(days), "day") + " ago";
  const auto hours = std::chrono::floor<std::chrono::hours>(age).count();
  if (hours > 0) return plural(static_cast<size_t>(hours), "hour") + " ago";
  return "within the hour";
}

/// Steps that share a line of the table.
struct Line {
  std::string kind;
  size_t count = 0;
  const run::Forecast* first = nullptr;
  double seconds = 0;
  bool guessed = false;
};

bool is_guess(const run::Forecast& step) {
  return step.expected != run::Expected::reuse && step.prediction == plan::Prediction::guessed;
}

std::vector<Line> lines_of(const std::vector<run::Forecast>& steps) {
  std::vector<Line> lines;
  for (const run::Forecast& step : steps) {
    const std::string kind = group_of(step.id);
    auto line = std::find_if(lines.begin(), lines.end(), [&](const Line& other) {
      return !kind.empty() && other.kind == kind && other.first->expected == step.expected &&
             reason_in_table(*other.first) == reason_in_table(step) &&
             other.first->changes == step.changes;
    });
    if (line == lines.end()) line = lines.insert(line, {kind, 0, &step});
    ++line->count;
    line->seconds += step.seconds;
    line->guessed = line->guessed || is_guess(step);
  }
  return lines;
}

std::string time_of(const Line& line) {
  if (line.first->expected == run::Expected::reuse) return "-";
  const std::chrono::duration<double> seconds(line.seconds);
  return format_duration(std::chrono::round<std::chrono::milliseconds>(seconds)) +
         (line.guessed ? "?" : "");
}

}  // namespace

std::string forecast_table(const std::vector<run::Forecast>& steps, size_t width) {
  std::vector<std::vector<std::string>> rows = {{"step", "would", "takes", "because"}};
  for (const Line& line : lines_of(steps)) {
    std::string because = reason_in_table(*line.first);
    if (!line.first->changes.empty()) because += ": " + join(line.first->changes, ", ");
    rows.push_back({line.count == 1 ? line.first->id : plural(line.count, line.kind),
                    std::string(run::to_string(line.first->expected)), time_of(line),
                    std::move(because)});
  }
  return align_columns(rows, width);
}

std::string wall_time_line(const std::vector<run::Forecast>& steps, std::chrono::milliseconds total,
                           int cores) {
  const auto has = [&steps](run::Expected expected) {
    return std::any_of(steps.begin(), steps.end(),
                       [expected](const run::Forecast& step) { return step.expected == expected; });
  };
  const bool perhaps = has(run::Expected::perhaps);
  if (!perhaps && !has(run::Expected::run)) return {};
  const bool guessed = std::any_of(steps.begin(), steps.end(), is_guess);
  return fmt::format("{} {} on {}, estimated from earlier runs{}\n", perhaps ? "at most" : "about",
                     format_duration(total), plural(static_cast<size_t>(cores), "core"),
                     guessed ? "; `?` marks steps that never ran here" : "");
}

std::string forecast_lines(const run::Forecast& step) {
  std::string verb = step.expected == run::Expected::reuse ? "would be reused" : "would run";
  if (step.expected == run::Expected::perhaps) verb = "would run unless nothing changed";
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
    out = fmt::format("{} resolved, the oldest {}; `--refresh` resolves again\n",
                      plural(resolved, "environment"), age_text(oldest));
  }
  if (resolved < ages.size()) {
    out += fmt::format("{} still to be resolved\n", plural(ages.size() - resolved, "environment"));
  }
  return out;
}

}  // namespace pinwheel::report
