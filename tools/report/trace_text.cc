#include "report/trace_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "analysis/critical_path.h"
#include "analysis/slot_time.h"
#include "base/text.h"
#include "report/table.h"

namespace pinwheel::report {
namespace {

using analysis::RunTrace;
using analysis::TraceMachine;
using analysis::TraceSlice;
using nlohmann::ordered_json;
using std::chrono::milliseconds;

/// "12s for build:cpu", "3.0s for slot, memory".
std::string wait_text(const plan::AttemptTrace& trace) {
  milliseconds spent{0};
  std::vector<std::string> causes;
  for (const plan::TracedWait& wait : trace.waits) {
    spent += wait.spent;
    std::string cause = wait.on.empty() ? std::string(plan::to_string(wait.cause)) : wait.on;
    if (std::ranges::find(causes, cause) == causes.end()) causes.push_back(std::move(cause));
  }
  if (causes.empty()) return {};
  return fmt::format("{} for {}", format_duration(spent), join(causes, ", "));
}

std::vector<std::string> row_of(const RunTrace& trace, const TraceSlice& slice) {
  const plan::AttemptTrace& own = slice.trace;
  const plan::TraceTime begun = trace.slices.front().trace.ran->start;
  std::string id = slice.id;
  if (slice.attempt > 1) id += fmt::format(" (attempt {})", slice.attempt);
  std::vector<std::string> row = {std::move(id),
                                  std::string(plan::to_string(slice.state)),
                                  format_duration(own.ran->start - begun),
                                  format_duration(own.ran->completed - own.ran->start),
                                  own.cpu_time ? format_duration(*own.cpu_time) : "",
                                  own.peak_memory ? format_bytes(*own.peak_memory) : "",
                                  wait_text(own)};
  if (trace.machines.size() > 1) row.push_back(trace.machines[slice.machine].name);
  return row;
}

/// A table of these attempts.
std::string table_of(const RunTrace& trace, const std::vector<size_t>& slices, size_t width) {
  std::vector<std::vector<std::string>> rows = {
      {"step", "state", "start", "time", "cpu", "memory", "waited"}};
  if (trace.machines.size() > 1) rows.front().emplace_back("machine");
  for (const size_t i : slices) rows.push_back(row_of(trace, trace.slices[i]));
  return align_columns(rows, width);
}

/// "4 done, 1 failed": the steps by the state of their last attempt.
std::string states_text(const RunTrace& trace) {
  std::map<std::string, plan::StepState> last;
  for (const TraceSlice& slice : trace.slices) last[slice.id] = slice.state;
  std::map<plan::StepState, size_t> counts;
  for (const auto& [id, state] : last) ++counts[state];
  std::vector<std::string> parts;
  parts.reserve(counts.size());
  for (const auto& [state, count] : counts) {
    parts.push_back(fmt::format("{} {}", count, plan::to_string(state)));
  }
  return fmt::format("{}: {}", plural(last.size(), "step"), join(parts, ", "));
}

std::string slot_time_text(const RunTrace& trace, size_t width) {
  const analysis::SlotTime time = analysis::slot_time(trace);
  std::vector<std::pair<milliseconds, size_t>> classes;
  for (size_t i = 0; i < time.spent.size(); ++i) {
    if (time.spent[i].count() > 0) classes.emplace_back(time.spent[i], i);
  }
  std::ranges::sort(classes, std::greater<>());
  std::vector<std::vector<std::string>> rows = {
      {fmt::format("{} x {}", plural(time.slots, "slot"), format_duration(time.makespan)), "time",
       "share"}};
  for (const auto& [spent, i] : classes) {
    const double share =
        100.0 * static_cast<double>(spent.count()) / static_cast<double>(time.total().count());
    rows.push_back({std::string(analysis::title_of(static_cast<analysis::SlotClass>(i))),
                    format_duration(spent), fmt::format("{:.1f}%", share)});
  }
  return align_columns(rows, width);
}

std::string critical_text(const RunTrace& trace, size_t width) {
  const analysis::CriticalPath path = analysis::critical_path(trace);
  std::vector<std::vector<std::string>> rows = {
      {fmt::format("critical path, {} of {}", format_duration(path.length),
                   format_duration(analysis::makespan(trace))),
       "time", "could save"}};
  for (const analysis::CriticalStep& step : path.steps) {
    if (step.spent.count() == 0) continue;
    rows.push_back({step.id, format_duration(step.spent), format_duration(step.saves)});
  }
  return align_columns(rows, width);
}

/// The longest attempts, the longest first.
std::vector<size_t> longest(const RunTrace& trace, size_t limit) {
  std::vector<size_t> slices(trace.slices.size());
  for (size_t i = 0; i < slices.size(); ++i) slices[i] = i;
  std::ranges::stable_sort(slices, std::greater<>(), [&trace](size_t i) {
    const plan::TraceSpan& ran = *trace.slices[i].trace.ran;
    return ran.completed - ran.start;
  });
  slices.resize(std::min(slices.size(), limit));
  return slices;
}

ordered_json critical_json(const analysis::CriticalPath& path) {
  ordered_json steps = ordered_json::array();
  for (const analysis::CriticalStep& step : path.steps) {
    steps.push_back(
        {{"id", step.id}, {"spent_ms", step.spent.count()}, {"saves_ms", step.saves.count()}});
  }
  return {{"length_ms", path.length.count()}, {"steps", std::move(steps)}};
}

ordered_json slot_time_json(const analysis::SlotTime& time) {
  ordered_json spent = ordered_json::object();
  for (size_t i = 0; i < time.spent.size(); ++i) {
    spent[std::string(analysis::to_string(static_cast<analysis::SlotClass>(i)))] =
        time.spent[i].count();
  }
  return {{"slots", time.slots}, {"spent_ms", std::move(spent)}};
}

}  // namespace

std::string trace_brief(const RunTrace& trace, size_t width) {
  constexpr size_t kMostLongest = 10;
  if (trace.slices.empty()) return {};
  const std::vector<size_t> top = longest(trace, kMostLongest);
  const size_t others = trace.slices.size() - top.size();
  std::string out = fmt::format("{} in {} on {}\n\n", states_text(trace),
                                format_duration(analysis::makespan(trace)),
                                plural(trace.machines.size(), "machine"));
  out += slot_time_text(trace, width) + "\n" + critical_text(trace, width) + "\n";
  out += table_of(trace, top, width);
  if (others > 0) out += fmt::format("`--all` shows {}\n", plural(others, "shorter attempt"));
  return out;
}

std::string trace_table(const RunTrace& trace, size_t width) {
  std::vector<size_t> slices(trace.slices.size());
  for (size_t i = 0; i < slices.size(); ++i) slices[i] = i;
  return table_of(trace, slices, width);
}

std::string trace_json(const RunTrace& trace) {
  ordered_json json = {{"schema", "pinwheel-trace/1"},
                       {"machines", ordered_json::array()},
                       {"makespan_ms", analysis::makespan(trace).count()},
                       {"critical_path", critical_json(analysis::critical_path(trace))},
                       {"slot_time", slot_time_json(analysis::slot_time(trace))},
                       {"attempts", ordered_json::array()}};
  for (const TraceMachine& machine : trace.machines) {
    json["machines"].push_back({{"name", machine.name},
                                {"slots", machine.lanes},
                                {"clock_offset_ms", machine.offset.count()}});
  }
  for (const TraceSlice& slice : trace.slices) {
    json["attempts"].push_back({{"id", slice.id},
                                {"state", plan::to_string(slice.state)},
                                {"attempt", slice.attempt},
                                {"slot", slice.lane + 1},
                                {"trace", plan::trace_object(slice.trace)}});
  }
  return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace pinwheel::report
