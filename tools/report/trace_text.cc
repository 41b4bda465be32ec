#include "report/trace_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/text.h"
#include "report/table.h"

namespace pinwheel::report {
namespace {

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

}  // namespace

std::string trace_table(const RunTrace& trace, size_t width) {
  std::vector<std::vector<std::string>> rows = {
      {"step", "state", "start", "time", "cpu", "memory", "waited"}};
  if (trace.machines.size() > 1) rows.front().emplace_back("machine");
  for (const TraceSlice& slice : trace.slices) rows.push_back(row_of(trace, slice));
  return align_columns(std::move(rows), width);
}

std::string trace_json(const RunTrace& trace) {
  using nlohmann::ordered_json;
  ordered_json json = {{"schema", "pinwheel-trace/1"},
                       {"machines", ordered_json::array()},
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
