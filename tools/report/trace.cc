#include "report/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "plan/step_id.h"

namespace pinwheel::report {
namespace {

using TraceJson = nlohmann::ordered_json;
using std::chrono::milliseconds;

void shift(plan::AttemptTrace& trace, milliseconds offset) {
  if (trace.queued) *trace.queued += offset;
  trace.ran->start += offset;
  trace.ran->completed += offset;
  for (plan::TracedPhase& phase : trace.phases) {
    phase.span.start += offset;
    phase.span.completed += offset;
  }
}

/// The state of an executed step: a job that reused its result has its trace, too.
plan::StepState state_of(const plan::StepOutcome& outcome) {
  const bool reused = outcome.state == plan::StepState::reused;
  return reused ? plan::StepState::done : outcome.state;
}

/// The machines by name, and the slices on them. Two records of the same attempt are one.
void add_slices(RunTrace& all, const std::vector<plan::StepOutcome>& outcomes) {
  std::map<std::string, size_t> machines;
  std::set<std::tuple<std::string, std::string, plan::TraceTime>> seen;
  std::set<std::string> unmeasured;
  for (const plan::StepOutcome& outcome : outcomes) {
    if (outcome.attempts > 0 && outcome.trace.empty()) unmeasured.insert(outcome.id);
    int number = 0;
    for (const plan::AttemptTrace& trace : outcome.trace) {
      ++number;
      if (!trace.ran || !seen.emplace(outcome.id, trace.worker, trace.ran->start).second) continue;
      const auto [machine, added] = machines.emplace(trace.worker, all.machines.size());
      if (added) all.machines.push_back({trace.worker.empty() ? "machine" : trace.worker});
      const bool repeated = static_cast<size_t>(number) < outcome.trace.size();
      all.slices.push_back({outcome.id, outcome.key,
                            repeated ? plan::StepState::failed : state_of(outcome), number, trace,
                            machine->second});
    }
  }
  all.unmeasured = unmeasured.size();
}

/// The steps that each step needs, by id.
using NeedsOfSteps = std::map<std::string, std::set<std::string>>;

NeedsOfSteps needs_of(const std::vector<plan::StepOutcome>& outcomes) {
  NeedsOfSteps needs;
  for (const plan::StepOutcome& outcome : outcomes) {
    needs[outcome.id].insert(outcome.needs.begin(), outcome.needs.end());
  }
  return needs;
}

/// The first and the last attempt of a step on a machine.
struct MachineAttempts {
  size_t first = 0;
  size_t last = 0;
};

/// By step, then by machine.
using AttemptsOfSteps = std::map<std::string, std::map<size_t, MachineAttempts>>;

AttemptsOfSteps attempts_of(const std::vector<TraceSlice>& slices) {
  AttemptsOfSteps all;
  for (size_t i = 0; i < slices.size(); ++i) {
    all[slices[i].id].try_emplace(slices[i].machine, MachineAttempts{i, i}).first->second.last = i;
  }
  return all;
}

/// The machine whose attempt made what a step on `machine` used; nullopt if none did. Environments
/// and toolkits stay on their machine.
std::optional<size_t> maker_of(const AttemptsOfSteps& attempts, const std::string& need,
                               size_t machine) {
  const auto found = attempts.find(need);
  if (found == attempts.end()) return std::nullopt;
  if (found->second.contains(machine)) return machine;
  if (plan::prepares(need)) return std::nullopt;
  return found->second.begin()->first;
}

/// A flow for each need that was executed.
std::vector<TraceFlow> flows_between(const std::vector<TraceSlice>& slices,
                                     const NeedsOfSteps& needs) {
  const AttemptsOfSteps attempts = attempts_of(slices);
  std::vector<TraceFlow> flows;
  for (const auto& [id, machines] : attempts) {
    const auto wanted = needs.find(id);
    if (wanted == needs.end()) continue;
    for (const auto& [machine, own] : machines) {
      for (const std::string& need : wanted->second) {
        const std::optional<size_t> maker = maker_of(attempts, need, machine);
        if (!maker || need == id) continue;
        flows.push_back({attempts.at(need).at(*maker).last, own.first});
      }
    }
  }
  return flows;
}

bool in_order(const std::vector<TraceSlice>& slices, const TraceFlow& flow) {
  return slices[flow.from].trace.ran->completed <= slices[flow.to].trace.ran->start;
}

/// How far each machine has to be moved to later times so that the flows between machines point
/// forward. Each round fixes the flows of at least one more machine on a path. If the last round
/// still moves one, clocks contradict each other, and no machine is moved.
std::vector<milliseconds> clock_offsets(const RunTrace& all) {
  constexpr milliseconds kMost = std::chrono::days(30);
  std::vector<milliseconds> unmoved(all.machines.size());
  std::vector<milliseconds> offsets = unmoved;
  for (size_t round = 0; round <= all.machines.size(); ++round) {
    bool moved = false;
    for (const TraceFlow& flow : all.flows) {
      const TraceSlice& from = all.slices[flow.from];
      const TraceSlice& to = all.slices[flow.to];
      const milliseconds late = from.trace.ran->completed - to.trace.ran->start +
                                offsets[from.machine] - offsets[to.machine];
      if (from.machine == to.machine || late.count() <= 0) continue;
      offsets[to.machine] += late;
      moved = true;
      if (offsets[to.machine] > kMost) return unmoved;
    }
    if (!moved) return offsets;
  }
  return unmoved;
}

void correct_clocks(RunTrace& all) {
  const std::vector<milliseconds> offsets = clock_offsets(all);
  for (size_t i = 0; i < offsets.size(); ++i) all.machines[i].offset = offsets[i];
  for (TraceSlice& slice : all.slices) shift(slice.trace, offsets[slice.machine]);
}

using Microseconds = int64_t;

Microseconds micros(milliseconds time) {
  return std::chrono::duration_cast<std::chrono::microseconds>(time).count();
}

/// The end of a slice: an attempt that took less than the resolution of its times is a microsecond
/// long, so that flows can end in it.
Microseconds end_of(const TraceSlice& slice) {
  const plan::TraceSpan& ran = *slice.trace.ran;
  return std::max(micros(ran.completed.time_since_epoch()),
                  micros(ran.start.time_since_epoch()) + 1);
}

/// The lanes of a machine: an attempt gets the lowest free one.
class Lanes {
 public:
  size_t take(Microseconds start, Microseconds end) {
    while (!busy_.empty() && busy_.begin()->first <= start) {
      free_.insert(busy_.begin()->second);
      busy_.erase(busy_.begin());
    }
    if (free_.empty()) free_.insert(count_++);
    const size_t lane = *free_.begin();
    free_.erase(free_.begin());
    busy_.emplace(end, lane);
    return lane;
  }
  size_t count() const { return count_; }

 private:
  std::set<std::pair<Microseconds, size_t>> busy_;  ///< by the end of their attempts
  std::set<size_t> free_;
  size_t count_ = 0;
};

void assign_lanes(RunTrace& all) {
  std::vector<Lanes> lanes(all.machines.size());
  for (TraceSlice& slice : all.slices) {
    const Microseconds start = micros(slice.trace.ran->start.time_since_epoch());
    slice.lane = lanes[slice.machine].take(start, end_of(slice));
  }
  for (size_t i = 0; i < lanes.size(); ++i) all.machines[i].lanes = lanes[i].count();
}

void sort_by_start(std::vector<TraceSlice>& slices) {
  std::ranges::stable_sort(slices, {},
                           [](const TraceSlice& slice) { return slice.trace.ran->start; });
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
    }
  }

  TraceJson events() {
    name_machines();
    for (const TraceSlice& slice : all_.slices) add_slice(slice);
    for (size_t i = 0; i < all_.flows.size(); ++i) add_flow(all_.flows[i], i + 1);
    add_counters();
    // At the same time a slice comes before what is in it.
    std::ranges::stable_sort(timed_, {}, &Timed::first);
    for (Timed& each : timed_) events_.push_back(std::move(each.second));
    return std::move(events_);
  }

 private:
  using Timed = std::pair<Microseconds, TraceJson>;

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
      for (size_t lane = 0; lane < machine.lanes; ++lane) {
        const size_t thread = first_thread_[i] + lane;
        name(i + 1, thread, "thread_name", "name", fmt::format("slot {}", lane + 1));
        name(i + 1, thread, "thread_sort_index", "sort_index", lane);
      }
    }
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
  std::vector<size_t> first_thread_;
  TraceJson events_ = TraceJson::array();
  std::vector<Timed> timed_;
};

}  // namespace

Done check_traceable(const std::vector<plan::StepOutcome>& outcomes) {
  size_t attempts = 0;
  size_t needs = 0;
  std::set<std::string_view> machines;
  for (const plan::StepOutcome& outcome : outcomes) {
    attempts += outcome.trace.size();
    needs += outcome.trace.size() * outcome.needs.size();
    for (const plan::AttemptTrace& trace : outcome.trace) machines.insert(trace.worker);
  }
  const auto over = [](size_t most, std::string_view what) {
    return fail(ErrorKind::config,
                fmt::format("the reports have more than {} {}, the limit for a trace", most, what),
                "name the reports of one run");
  };
  if (attempts > kMostTracedAttempts) return over(kMostTracedAttempts, "attempts");
  if (machines.size() > kMostTracedMachines) return over(kMostTracedMachines, "machines");
  if (needs > kMostTracedNeeds) return over(kMostTracedNeeds, "needs of attempts");
  return {};
}

RunTrace merge_traces(const std::vector<plan::StepOutcome>& outcomes) {
  RunTrace all;
  add_slices(all, outcomes);
  sort_by_start(all.slices);
  const NeedsOfSteps needs = needs_of(outcomes);
  all.flows = flows_between(all.slices, needs);
  correct_clocks(all);
  sort_by_start(all.slices);
  // Sorting moved the slices.
  all.flows = flows_between(all.slices, needs);
  std::erase_if(all.flows, [&all](const TraceFlow& flow) { return !in_order(all.slices, flow); });
  assign_lanes(all);
  return all;
}

std::string chrome_trace(const RunTrace& trace) {
  TraceJson json = {{"traceEvents", EventWriter(trace).events()}};
  if (!trace.slices.empty()) {
    json["otherData"] = {{"begun", plan::to_string(trace.slices.front().trace.ran->start)}};
  }
  return json.dump(1, ' ', false, TraceJson::error_handler_t::replace) + "\n";
}

}  // namespace pinwheel::report
