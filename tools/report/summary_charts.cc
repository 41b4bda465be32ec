#include "report/summary_charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/critical_path.h"
#include "base/text.h"
#include "plan/step_id.h"
#include "report/failure.h"

namespace pinwheel::report {
namespace {

using analysis::RunTrace;
using analysis::TraceSlice;
using std::chrono::milliseconds;

constexpr size_t kMostColumns = 16;
constexpr size_t kMostCells = 600;
constexpr size_t kMostBars = 60;

/// The outcomes that are positions in the matrix: those of tests, else those of builds.
std::vector<const plan::StepOutcome*> charted(const plan::Report& report) {
  std::vector<const plan::StepOutcome*> builds;
  std::vector<const plan::StepOutcome*> tests;
  for (const plan::StepOutcome& outcome : report.outcomes) {
    if (outcome.axes.empty()) continue;
    const std::optional<plan::StepKind> kind = plan::kind_of_step(outcome.id);
    if (kind == plan::StepKind::build) builds.push_back(&outcome);
    if (kind == plan::StepKind::test) tests.push_back(&outcome);
  }
  return tests.empty() ? builds : tests;
}

std::string value_on(const plan::StepOutcome& outcome, const std::string& axis) {
  const auto found =
      std::ranges::find(outcome.axes, axis, &std::pair<std::string, std::string>::first);
  return found == outcome.axes.end() ? std::string() : found->second;
}

/// The axes with several values, in the order of the matrix.
std::vector<std::string> varying_axes(const std::vector<const plan::StepOutcome*>& outcomes) {
  std::vector<std::string> names;
  std::map<std::string, std::set<std::string>> values;
  for (const plan::StepOutcome* const outcome : outcomes) {
    for (const auto& [axis, value] : outcome->axes) {
      if (!values.contains(axis)) names.push_back(axis);
      values[axis].insert(value);
    }
  }
  const auto is_everywhere = [&outcomes](const std::string& axis) {
    return std::ranges::none_of(outcomes, [&axis](const plan::StepOutcome* outcome) {
      return value_on(*outcome, axis).empty();
    });
  };
  std::erase_if(names, [&](const std::string& axis) {
    return values.at(axis).size() < 2 && is_everywhere(axis);
  });
  return names;
}

std::string_view square_of(const plan::StepOutcome& outcome) {
  switch (outcome.state) {
    case plan::StepState::done:
    case plan::StepState::reused:
      return outcome.warnings.empty() ? "🟩" : "🟨";
    case plan::StepState::failed:
      return "🟥";
    case plan::StepState::blocked:
    case plan::StepState::interrupted:
    case plan::StepState::unfinished:
      return "⬛";
    case plan::StepState::skipped:
      return "⬜";
  }
  return "⬜";
}

std::string cell_of(const plan::StepOutcome& outcome) {
  const bool good =
      outcome.state == plan::StepState::done || outcome.state == plan::StepState::reused;
  const std::string evidence = good ? plan::evidence_text(outcome) : "";
  std::string cell = fmt::format(
      "{} {}", square_of(outcome),
      evidence.empty() ? std::string(plan::to_string(outcome.state)) : markdown_text(evidence));
  if (outcome.attempts > 0) cell += " " + format_duration(outcome.elapsed);
  return cell;
}

/// Values in the order in which they first occur.
size_t position_of(std::vector<std::string>& values, const std::string& value) {
  const auto found = std::ranges::find(values, value);
  if (found != values.end()) return static_cast<size_t>(found - values.begin());
  values.push_back(value);
  return values.size() - 1;
}

std::string row_title(const plan::StepOutcome& outcome, const std::vector<std::string>& axes) {
  std::vector<std::string> values;
  for (size_t i = 1; i < axes.size(); ++i) {
    std::string value = value_on(outcome, axes[i]);
    if (!value.empty()) values.push_back(std::move(value));
  }
  return join(values, ", ");
}

/// A word of the chart's language: its own punctuation and quotes would end a name.
std::string chart_name(std::string_view text) {
  constexpr size_t kMostLetters = 60;
  std::string name;
  for (const char c : text.substr(0, kMostLetters)) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_' ||
                       c == '-' || c == '+' || c == '@' || c == '/';
    name += plain ? c : ' ';
  }
  return name;
}

/// The words for the kind of bar, with the comma that follows them.
std::string_view bar_style(const TraceSlice& slice, const std::set<size_t>& critical, size_t i) {
  if (slice.state == plan::StepState::failed) return "crit, ";
  return critical.contains(i) ? "active, " : "done, ";
}

/// The longest attempts, by start.
std::vector<size_t> longest_slices(const RunTrace& trace) {
  std::vector<size_t> slices(trace.slices.size());
  for (size_t i = 0; i < slices.size(); ++i) slices[i] = i;
  const auto length = [&trace](size_t i) {
    const plan::TraceSpan& ran = *trace.slices[i].trace.ran;
    return ran.completed - ran.start;
  };
  std::ranges::stable_sort(slices, [&length](size_t a, size_t b) { return length(a) > length(b); });
  slices.resize(std::min(slices.size(), kMostBars));
  std::ranges::sort(slices);
  return slices;
}

}  // namespace

std::string heat_map_markdown(const plan::Report& report) {
  const std::vector<const plan::StepOutcome*> outcomes = charted(report);
  const std::vector<std::string> axes = varying_axes(outcomes);
  if (outcomes.size() < 2 || axes.empty()) return {};
  std::vector<std::string> columns;
  std::vector<std::string> rows;
  std::map<std::pair<size_t, size_t>, std::vector<std::string>> cells;
  for (const plan::StepOutcome* const outcome : outcomes) {
    const size_t column = position_of(columns, value_on(*outcome, axes.front()));
    const size_t row = position_of(rows, row_title(*outcome, axes));
    if (columns.size() > kMostColumns || rows.size() * columns.size() > kMostCells) return {};
    cells[{row, column}].push_back(cell_of(*outcome));
  }
  const std::vector<std::string> others(axes.begin() + 1, axes.end());
  std::string out = fmt::format("| {} |", markdown_text(join(others, ", ")));
  for (const std::string& column : columns) {
    out += fmt::format(" {} {} |", markdown_text(axes.front()), markdown_text(column));
  }
  out += "\n|---|";
  for (size_t i = 0; i < columns.size(); ++i) out += "---|";
  out += "\n";
  for (size_t row = 0; row < rows.size(); ++row) {
    out += fmt::format("| {} |", markdown_text(rows[row]));
    for (size_t column = 0; column < columns.size(); ++column) {
      const auto found = cells.find({row, column});
      out += fmt::format(" {} |", found == cells.end() ? "" : join(found->second, "<br>"));
    }
    out += "\n";
  }
  return out;
}

namespace {

/// In milliseconds, as the chart has it.
std::int64_t start_of(const TraceSlice& slice) {
  return slice.trace.ran->start.time_since_epoch().count();
}
std::int64_t last_of(const TraceSlice& slice) {
  return analysis::end_of(slice) / 1000;
}

/// The shortest bar that is visible: mermaid draws those of less than a pixel without any width.
std::int64_t least_bar(const RunTrace& trace, const std::vector<size_t>& shown) {
  constexpr std::int64_t kBarsPerChart = 500;
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  std::int64_t last = 0;
  for (const size_t i : shown) {
    first = std::min(first, start_of(trace.slices[i]));
    last = std::max(last, last_of(trace.slices[i]));
  }
  return last > first ? (last - first) / kBarsPerChart + 1 : 1;
}

}  // namespace

std::string gantt_markdown(const RunTrace& trace) {
  if (trace.slices.size() < 2) return {};
  std::set<size_t> critical;
  for (const analysis::CriticalStep& step : analysis::critical_path(trace).steps) {
    for (size_t i = step.first; i <= step.last; ++i) {
      if (trace.slices[i].id == step.id) critical.insert(i);
    }
  }
  std::map<std::string, std::string> sections;
  std::vector<std::string> order;
  const std::vector<size_t> shown = longest_slices(trace);
  const std::int64_t least = least_bar(trace, shown);
  for (const size_t i : shown) {
    const TraceSlice& slice = trace.slices[i];
    const std::string section = chart_name(slice.id.substr(0, slice.id.find(':')));
    position_of(order, section);
    const std::int64_t start = start_of(slice);
    const std::string again = slice.attempt > 1 ? fmt::format(" attempt {}", slice.attempt) : "";
    sections[section] +=
        fmt::format("  {}{} :{}{}, {}\n", chart_name(slice.id), again,
                    bar_style(slice, critical, i), start, std::max(last_of(slice), start + least));
  }
  std::string out = "```mermaid\ngantt\n  dateFormat x\n  axisFormat %H:%M:%S\n";
  for (const std::string& section : order) {
    out += fmt::format("  section {}\n{}", section, sections.at(section));
  }
  out += "```\n\nRed: failed. Highlighted: on the critical path.";
  const size_t hidden = trace.slices.size() - shown.size();
  if (hidden > 0) out += fmt::format(" Without {}.", plural(hidden, "shorter attempt"));
  return out + "\n";
}

}  // namespace pinwheel::report
