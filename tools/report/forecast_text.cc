#include "report/forecast_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>

#include "base/text.h"
#include "plan/step_id.h"
#include "report/table.h"

namespace pinwheel::report {
namespace {

/// The name of the steps that share a line with this one, "test"; empty for a step with a line of
/// its own.
std::string_view group_of(const std::string& id) {
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
  std::string_view kind;
  size_t count = 0;
  const run::Forecast* first = nullptr;
  double seconds = 0;
  double p90 = 0;
  bool guessed = false;    ///< at least one of them never ran
  bool has_spread = true;  ///< all were predicted from durations
};

bool is_guess(const run::Forecast& step) {
  return step.expected != run::Expected::reuse && step.prediction != plan::Prediction::measured;
}

std::vector<Line> lines_of(const std::vector<run::Forecast>& steps) {
  using Common = std::tuple<std::string_view, run::Expected, std::string, std::vector<std::string>>;
  std::map<Common, size_t> known;
  std::vector<Line> lines;
  for (const run::Forecast& step : steps) {
    const std::string_view kind = group_of(step.id);
    size_t at = lines.size();
    if (!kind.empty()) {
      at = known.try_emplace({kind, step.expected, reason_in_table(step), step.changes}, at)
               .first->second;
    }
    if (at == lines.size()) lines.push_back({kind, 0, &step});
    Line& line = lines[at];
    ++line.count;
    line.seconds += step.seconds;
    line.p90 += step.p90;
    line.has_spread = line.has_spread && step.p90 > 0;
    line.guessed = line.guessed || is_guess(step);
  }
  return lines;
}

std::string text_of(double seconds) {
  return format_duration(
      std::chrono::round<std::chrono::milliseconds>(std::chrono::duration<double>(seconds)));
}

std::string time_of(const Line& line) {
  if (line.first->expected == run::Expected::reuse) return "-";
  return text_of(line.seconds) + (line.guessed ? "?" : "");
}

/// An estimate without a measurement has no spread.
std::string p90_of(const Line& line) {
  if (line.first->expected == run::Expected::reuse || !line.has_spread) return "-";
  return text_of(line.p90) + (line.guessed ? "?" : "");
}

bool has_reasons(const std::vector<run::Forecast>& steps) {
  return std::ranges::any_of(steps,
                             [](const run::Forecast& step) { return !step.because.empty(); });
}

}  // namespace

std::string forecast_table(const std::vector<run::Forecast>& steps, size_t width) {
  const bool reasons = has_reasons(steps);
  TableRows rows;
  rows.begin_row();
  rows.add(reasons ? "step" : "steps");
  if (reasons) rows.add("would");
  rows.add("p50");
  rows.add("p90");
  if (reasons) rows.add("because");
  for (const Line& line : lines_of(steps)) {
    rows.begin_row();
    if (line.count == 1) {
      rows.add(line.first->id);
    } else {
      rows.add(plural(line.count, line.kind));
    }
    if (reasons) rows.add(run::to_string(line.first->expected));
    rows.add(time_of(line));
    rows.add(p90_of(line));
    if (!reasons) continue;
    std::string because = reason_in_table(*line.first);
    if (!line.first->changes.empty()) because += ": " + join(line.first->changes, ", ");
    rows.add(because);
  }
  return rows.aligned(width);
}

std::vector<std::string> critical_steps(const TimedForecast& forecast) {
  std::vector<std::string> ids;
  ids.reserve(forecast.run.least.path.steps.size());
  for (const size_t step : forecast.run.least.path.steps) ids.push_back(forecast.steps[step].id);
  return ids;
}

namespace {

std::string origin_text(const std::vector<run::Forecast>& steps) {
  const auto ran = [](const run::Forecast& step) {
    return step.expected != run::Expected::reuse && step.prediction != plan::Prediction::guessed;
  };
  if (std::ranges::none_of(steps, ran)) {
    return "guessed from architectures and sources; nothing like it ran here";
  }
  const bool guessed = std::ranges::any_of(steps, is_guess);
  return std::string("estimated from earlier runs") +
         (guessed ? "; `?` marks steps that never ran here" : "");
}

}  // namespace

std::string duration_lines(const TimedForecast& forecast) {
  const auto has = [&forecast](run::Expected expected) {
    return std::ranges::any_of(forecast.steps, [expected](const run::Forecast& step) {
      return step.expected == expected;
    });
  };
  const bool perhaps = has(run::Expected::perhaps);
  if (!perhaps && !has(run::Expected::run)) return {};
  const run::LeastTime& least = forecast.run.least;
  const bool cores = forecast.unit == SlotUnit::cores;
  const std::string slots =
      plural(static_cast<size_t>(forecast.run.slots), cores ? "core" : "slot");
  std::string out = fmt::format("{} {} {} {}, {}\n", perhaps ? "at most" : "about",
                                format_duration(forecast.run.makespan), cores ? "on" : "with",
                                slots, origin_text(forecast.steps));
  out += fmt::format(
      "no schedule takes less than {}: the critical path takes {}, the work {} per {}\n",
      format_duration(least.bound), format_duration(least.path.length),
      format_duration(least.share), cores ? "core" : "slot");
  return out + fmt::format("critical path: {}\n", join(critical_steps(forecast), ", "));
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
