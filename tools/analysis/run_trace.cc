#include "analysis/run_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "analysis/lanes.h"
#include "plan/step_id.h"

namespace pinwheel::analysis {
namespace {

using std::chrono::milliseconds;

void shift(plan::AttemptTrace& trace, milliseconds offset) {
  if (trace.queued) *trace.queued += offset;
  trace.ran->start += offset;
  trace.ran->completed += offset;
  for (plan::TracedPhase& phase : trace.phases) {
    phase.span.start += offset;
    phase.span.completed += offset;
  }
  for (plan::TracedCommand& command : trace.commands) {
    command.span.start += offset;
    command.span.completed += offset;
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

}  // namespace

Microseconds micros(milliseconds time) {
  return std::chrono::duration_cast<std::chrono::microseconds>(time).count();
}

Microseconds end_of(const TraceSlice& slice) {
  const plan::TraceSpan& ran = *slice.trace.ran;
  return std::max(micros(ran.completed.time_since_epoch()),
                  micros(ran.start.time_since_epoch()) + 1);
}

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

}  // namespace pinwheel::analysis
