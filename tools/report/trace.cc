#include "report/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/lanes.h"

namespace pinwheel::report {
namespace {

using TraceJson = nlohmann::ordered_json;
using analysis::end_of;
using analysis::micros;
using analysis::Microseconds;
using analysis::RunTrace;
using analysis::TraceFlow;
using analysis::TraceMachine;
using analysis::TraceSlice;

struct CommandTimes {
  Microseconds start = 0;
  Microseconds end = 0;
};

/// Within its attempt, whatever a report says: attempts of a slot do not overlap. A command that
/// took less than the resolution of its times is a microsecond long.
CommandTimes times_of(const TraceSlice& slice, const plan::TracedCommand& command) {
  const Microseconds end = end_of(slice);
  const Microseconds start = std::clamp(micros(command.span.start.time_since_epoch()),
                                        micros(slice.trace.ran->start.time_since_epoch()), end - 1);
  return {start, std::clamp(micros(command.span.completed.time_since_epoch()), start + 1, end)};
}

/// Writes the events of a trace, each with the time at which it belongs into the file.
class EventWriter {
 public:
  explicit EventWriter(const RunTrace& all) : all_(all) {
    if (!all.slices.empty()) {
      begun_ = micros(all.slices.front().trace.ran->start.time_since_epoch());
    }
    // The main thread of a process has the number of the process, and is no slot.
    size_t thread = all.machines.size() + 1;
    for (const TraceMachine& machine : all.machines) {
      first_thread_.push_back(thread);
      thread += machine.lanes;
      slots_.emplace_back(machine.lanes);
    }
    for (const TraceSlice& slice : all.slices) place_commands(slice);
    for (std::vector<Slot>& machine : slots_) {
      for (Slot& slot : machine) {
        slot.first_thread = thread;
        thread += slot.lanes;
      }
    }
  }

  TraceJson events() {
    name_machines();
    for (size_t i = 0; i < all_.slices.size(); ++i) {
      add_slice(all_.slices[i]);
      add_commands(all_.slices[i], command_lanes_[i]);
    }
    for (size_t i = 0; i < all_.flows.size(); ++i) add_flow(all_.flows[i], i + 1);
    add_counters();
    // At the same time a slice comes before what is in it.
    std::ranges::stable_sort(timed_, {}, &Timed::first);
    for (Timed& each : timed_) events_.push_back(std::move(each.second));
    return std::move(events_);
  }

 private:
  using Timed = std::pair<Microseconds, TraceJson>;
  /// The lanes for the commands of the attempts in a slot.
  struct Slot {
    size_t lanes = 0;
    size_t first_thread = 0;
  };

  void place_commands(const TraceSlice& slice) {
    // A report from elsewhere may have another order.
    const std::vector<plan::TracedCommand>& commands = slice.trace.commands;
    std::vector<size_t> order(commands.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::ranges::stable_sort(order, {},
                             [&](size_t i) { return times_of(slice, commands[i]).start; });
    analysis::Lanes lanes;
    std::vector<size_t> placed(commands.size());
    for (const size_t i : order) {
      const CommandTimes times = times_of(slice, commands[i]);
      placed[i] = lanes.take(times.start, times.end);
    }
    command_lanes_.push_back(std::move(placed));
    Slot& slot = slots_[slice.machine][slice.lane];
    slot.lanes = std::max(slot.lanes, lanes.count());
  }

  Microseconds since_begin(plan::TraceTime time) const {
    return micros(time.time_since_epoch()) - begun_;
  }
  /// Unique over all machines: a thread belongs to one process.
  size_t thread_of(const TraceSlice& slice) const {
    return first_thread_[slice.machine] + slice.lane;
  }

  void name(size_t process, size_t thread, const char* what, const char* member,
            const TraceJson& value) {
    TraceJson event = {{"name", what}, {"ph", "M"}, {"pid", process}};
    if (thread > 0) event["tid"] = thread;
    event["args"] = {{member, value}};
    events_.push_back(std::move(event));
  }

  void name_machines() {
    for (size_t i = 0; i < all_.machines.size(); ++i) {
      const TraceMachine& machine = all_.machines[i];
      name(i + 1, 0, "process_name", "name", machine.name);
      name(i + 1, 0, "process_sort_index", "sort_index", i);
      if (machine.offset.count() > 0) {
        name(i + 1, 0, "process_labels", "labels",
             fmt::format("clock + {} ms", machine.offset.count()));
      }
      size_t position = 0;
      for (size_t lane = 0; lane < machine.lanes; ++lane) {
        name_thread(i, first_thread_[i] + lane, fmt::format("slot {}", lane + 1), position++);
        const Slot& slot = slots_[i][lane];
        for (size_t below = 0; below < slot.lanes; ++below) {
          name_thread(i, slot.first_thread + below,
                      fmt::format("slot {}, command {}", lane + 1, below + 1), position++);
        }
      }
    }
  }

  void name_thread(size_t machine, size_t thread, const std::string& title, size_t position) {
    name(machine + 1, thread, "thread_name", "name", title);
    name(machine + 1, thread, "thread_sort_index", "sort_index", position);
  }

  TraceJson event_at(const TraceSlice& slice, std::string_view title, const char* kind,
                     Microseconds time) const {
    return {{"name", title},
            {"cat", slice.id.substr(0, slice.id.find(':'))},
            {"ph", kind},
            {"ts", time},
            {"pid", slice.machine + 1},
            {"tid", thread_of(slice)}};
  }

  void add_slice(const TraceSlice& slice) {
    const Microseconds start = since_begin(slice.trace.ran->start);
    TraceJson event = event_at(slice, slice.id, "X", start);
    event["dur"] = end_of(slice) - begun_ - start;
    event["args"] = plan::trace_object(slice.trace);
    event["args"].erase("commands");
    event["args"]["state"] = plan::to_string(slice.state);
    event["args"]["attempt"] = slice.attempt;
    event["args"]["key"] = slice.key;
    timed_.emplace_back(start, std::move(event));
    Microseconds last = start;
    for (const plan::TracedPhase& phase : slice.trace.phases) {
      const Microseconds from = std::max(last, since_begin(phase.span.start));
      const Microseconds to = std::min(end_of(slice) - begun_, since_begin(phase.span.completed));
      if (to <= from) continue;
      TraceJson inner = event_at(slice, plan::to_string(phase.phase), "X", from);
      inner["dur"] = to - from;
      timed_.emplace_back(from, std::move(inner));
      last = to;
    }
  }

  /// Below their slot, where they may overlap the slices of phases: clocks of compilers are less
  /// exact than their nesting.
  void add_commands(const TraceSlice& slice, const std::vector<size_t>& lanes) {
    const Slot& slot = slots_[slice.machine][slice.lane];
    for (size_t i = 0; i < lanes.size(); ++i) {
      const plan::TracedCommand& command = slice.trace.commands[i];
      const CommandTimes times = times_of(slice, command);
      const Microseconds start = times.start - begun_;
      TraceJson event = event_at(slice, command.output, "X", start);
      event["cat"] = "command";
      event["tid"] = slot.first_thread + lanes[i];
      event["dur"] = times.end - times.start;
      event["args"] = {{"kind", plan::to_string(command.kind)}, {"step", slice.id}};
      for (const plan::CommandPart& part : command.parts) {
        event["args"]["parts"][part.name] = fmt::format("{} ms", part.spent.count());
      }
      timed_.emplace_back(start, std::move(event));
    }
  }

  void add_flow(const TraceFlow& flow, size_t number) {
    const TraceSlice& from = all_.slices[flow.from];
    const TraceSlice& to = all_.slices[flow.to];
    const Microseconds leaves = end_of(from) - begun_ - 1;
    const Microseconds arrives = since_begin(to.trace.ran->start);
    TraceJson start = event_at(from, "needed by", "s", leaves);
    TraceJson end = event_at(to, "needed by", "f", arrives);
    for (TraceJson* const event : {&start, &end}) {
      (*event)["cat"] = "needs";
      (*event)["id"] = number;
    }
    end["bp"] = "e";
    timed_.emplace_back(leaves, std::move(start));
    timed_.emplace_back(arrives, std::move(end));
  }

  using Changes = std::map<Microseconds, uint64_t>;
  struct Counters {
    Changes steps;
    Changes cores;
    Changes memory;
  };

  /// The value of a counter after all changes of each time.
  void add_counter(size_t machine, const char* title, const char* member, const Changes& changes) {
    uint64_t value = 0;
    for (const auto& [time, change] : changes) {
      value += change;
      timed_.emplace_back(time, TraceJson{{"name", title},
                                          {"ph", "C"},
                                          {"ts", time},
                                          {"pid", machine + 1},
                                          {"args", {{member, value}}}});
    }
  }

  void add_counters() {
    // Sums of a hostile report wrap around.
    std::vector<Counters> machines(all_.machines.size());
    for (const TraceSlice& slice : all_.slices) {
      Counters& counters = machines[slice.machine];
      const Microseconds start = since_begin(slice.trace.ran->start);
      const Microseconds end = end_of(slice) - begun_;
      const auto during = [start, end](auto& changes, uint64_t value) {
        changes[start] += value;
        changes[end] -= value;
      };
      during(counters.steps, 1);
      if (slice.trace.cores) during(counters.cores, static_cast<uint64_t>(*slice.trace.cores));
      if (slice.trace.memory) during(counters.memory, *slice.trace.memory);
    }
    for (size_t i = 0; i < machines.size(); ++i) {
      add_counter(i, "steps", "running", machines[i].steps);
      add_counter(i, "cores", "reserved", machines[i].cores);
      add_counter(i, "memory", "reserved bytes", machines[i].memory);
    }
  }

  const RunTrace& all_;
  Microseconds begun_ = 0;
  std::vector<size_t> first_thread_;                ///< by machine
  std::vector<std::vector<Slot>> slots_;            ///< by machine and lane
  std::vector<std::vector<size_t>> command_lanes_;  ///< by slice
  TraceJson events_ = TraceJson::array();
  std::vector<Timed> timed_;
};

}  // namespace

std::string chrome_trace(const RunTrace& trace) {
  TraceJson json = {{"traceEvents", EventWriter(trace).events()}};
  if (!trace.slices.empty()) {
    json["otherData"] = {{"begun", plan::to_string(trace.slices.front().trace.ran->start)}};
  }
  return json.dump(1, ' ', false, TraceJson::error_handler_t::replace) + "\n";
}

}  // namespace pinwheel::report
