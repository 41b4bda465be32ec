#include "analysis/slot_time.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/critical_path.h"
#include "plan/step_id.h"

namespace pinwheel::analysis {
namespace {

using plan::TraceTime;
using std::chrono::milliseconds;

struct ClassName {
  std::string_view name;
  std::string_view title;
};

constexpr std::array<ClassName, kSlotClasses> kNames = {{
    {"fetch", "environments and sources"},
    {"compile", "compilation"},
    {"device_compile", "compilation for GPUs"},
    {"link", "linking"},
    {"build", "other build commands"},
    {"test", "tests"},
    {"package", "finishing wheels"},
    {"upload", "publishing"},
    {"idle_lock", "waited for a lock"},
    {"idle_slot", "waited for cores"},
    {"idle_memory", "waited for memory"},
    {"idle_pool", "waited for a pool"},
    {"idle_retry", "waited for a retry"},
    {"idle_dependency", "waited for other steps"},
    {"idle_nothing", "nothing to start"},
    {"absent", "machine not in use"},
}};

milliseconds& of(SlotTime& time, SlotClass slot_class) {
  return time.spent[static_cast<size_t>(slot_class)];
}

/// The class of a step's commands.
SlotClass class_of_step(std::string_view id) {
  const std::optional<plan::StepKind> kind = plan::kind_of_step(id);
  if (!kind) return SlotClass::build;
  switch (*kind) {
    case plan::StepKind::environment:
    case plan::StepKind::toolkit:
      return SlotClass::fetch;
    case plan::StepKind::build:
    case plan::StepKind::device:
      return SlotClass::build;
    case plan::StepKind::sdist:
      return SlotClass::package;
    case plan::StepKind::test:
      return SlotClass::test;
    case plan::StepKind::install:
    case plan::StepKind::publish:
      return SlotClass::upload;
  }
  return SlotClass::build;
}

SlotClass class_of_phase(std::string_view id, plan::StepPhase phase) {
  const SlotClass commands = class_of_step(id);
  if (phase == plan::StepPhase::input_fetch) return SlotClass::fetch;
  const bool finishes = phase == plan::StepPhase::output_upload && commands == SlotClass::build;
  return finishes ? SlotClass::package : commands;
}

SlotClass class_of_command(plan::CommandKind kind) {
  switch (kind) {
    case plan::CommandKind::compile:
      return SlotClass::compile;
    case plan::CommandKind::device_compile:
      return SlotClass::device_compile;
    case plan::CommandKind::link:
    case plan::CommandKind::archive:
      return SlotClass::link;
    case plan::CommandKind::other:
      return SlotClass::build;
  }
  return SlotClass::build;
}

using ClassTimes = std::array<milliseconds, kSlotClasses>;

/// Divides the time of a build's commands, `span`, among the commands that ran.
void add_commands(const std::vector<plan::TracedCommand>& commands, const plan::TraceSpan& span,
                  ClassTimes& own) {
  std::map<TraceTime, std::array<int64_t, kSlotClasses>> changes;
  for (const plan::TracedCommand& command : commands) {
    const TraceTime from = std::clamp(command.span.start, span.start, span.completed);
    const TraceTime to = std::clamp(command.span.completed, span.start, span.completed);
    if (to <= from) continue;
    const auto index = static_cast<size_t>(class_of_command(command.kind));
    ++changes[from][index];
    --changes[to][index];
  }
  std::array<int64_t, kSlotClasses> running = {};
  std::array<double, kSlotClasses> shares = {};
  TraceTime last = span.start;
  for (const auto& [at, change] : changes) {
    const auto all =
        static_cast<double>(std::accumulate(running.begin(), running.end(), int64_t{0}));
    for (size_t i = 0; i < running.size(); ++i) {
      const auto spent = static_cast<double>((at - last).count());
      if (running[i] > 0) shares[i] += spent * static_cast<double>(running[i]) / all;
      running[i] += change[i];
    }
    last = at;
  }
  milliseconds rest = span.completed - span.start;
  for (size_t i = 0; i < shares.size(); ++i) {
    const milliseconds share = std::min(rest, milliseconds(std::llround(shares[i])));
    own[i] += share;
    rest -= share;
  }
  own[static_cast<size_t>(SlotClass::build)] += rest;
}

/// The time of an attempt in its slot: its phases, and the rest as its commands. A lock that it
/// waited for is not part of them: first of what it fetched.
void add_attempt(const TraceSlice& slice, SlotTime& time) {
  const plan::TraceSpan& ran = *slice.trace.ran;
  ClassTimes own = {};
  milliseconds rest = std::max(milliseconds(0), ran.completed - ran.start);
  TraceTime last = ran.start;
  for (const plan::TracedPhase& phase : slice.trace.phases) {
    const TraceTime from = std::max(last, phase.span.start);
    const TraceTime to = std::min(ran.completed, phase.span.completed);
    if (to <= from) continue;
    const SlotClass slot_class = class_of_phase(slice.id, phase.phase);
    if (slot_class == SlotClass::build) {
      add_commands(slice.trace.commands, {from, to}, own);
    } else {
      own[static_cast<size_t>(slot_class)] += to - from;
    }
    rest -= to - from;
    last = to;
  }
  own[static_cast<size_t>(class_of_step(slice.id))] += rest;
  milliseconds locked{0};
  for (const plan::TracedWait& wait : slice.trace.waits) {
    if (wait.cause == plan::WaitCause::lock) locked += std::max(milliseconds(0), wait.spent);
  }
  for (size_t i = 0; i < own.size(); ++i) {
    const milliseconds moved = std::min(locked, own[i]);
    locked -= moved;
    of(time, SlotClass::idle_lock) += moved;
    time.spent[i] += own[i] - moved;
  }
}

/// Of several causes at the same time, the first one here is that of an idle slot.
constexpr std::array<std::pair<plan::WaitCause, SlotClass>, 5> kCauses = {{
    {plan::WaitCause::memory, SlotClass::idle_memory},
    {plan::WaitCause::pool, SlotClass::idle_pool},
    {plan::WaitCause::slot, SlotClass::idle_slot},
    {plan::WaitCause::retry, SlotClass::idle_retry},
    {plan::WaitCause::dependency, SlotClass::idle_dependency},
}};

/// How many attempts of a machine run, and wait for each cause.
struct Counts {
  int64_t running = 0;
  std::array<int64_t, kCauses.size()> waiting = {};
};

using Changes = std::map<TraceTime, Counts>;

size_t index_of(plan::WaitCause cause) {
  const auto* const found =
      std::ranges::find(kCauses, cause, &std::pair<plan::WaitCause, SlotClass>::first);
  return static_cast<size_t>(found - kCauses.begin());
}

/// The waits before an attempt, one after the other since it was queued.
void add_waits(const TraceSlice& slice, Changes& changes) {
  if (!slice.trace.queued) return;
  TraceTime from = *slice.trace.queued;
  for (const plan::TracedWait& wait : slice.trace.waits) {
    if (wait.cause == plan::WaitCause::lock) continue;
    const TraceTime to = std::min(from + wait.spent, slice.trace.ran->start);
    if (to <= from) continue;
    ++changes[from].waiting[index_of(wait.cause)];
    --changes[to].waiting[index_of(wait.cause)];
    from = to;
  }
}

SlotClass idle_class(const Counts& counts) {
  for (size_t i = 0; i < kCauses.size(); ++i) {
    if (counts.waiting[i] > 0) return kCauses[i].second;
  }
  return SlotClass::idle_nothing;
}

struct MachineTime {
  Changes changes = {};
  TraceTime begin = {};
  TraceTime end = {};
  bool used = false;
};

/// Adds the idle time of a machine's slots between its first attempt and its last.
void add_idle(const MachineTime& machine, int64_t lanes, SlotTime& time) {
  Counts counts;
  TraceTime last = machine.begin;
  for (const auto& [at, change] : machine.changes) {
    const TraceTime to = std::clamp(at, machine.begin, machine.end);
    of(time, idle_class(counts)) += (to - last) * (lanes - counts.running);
    last = to;
    counts.running += change.running;
    for (size_t i = 0; i < counts.waiting.size(); ++i) counts.waiting[i] += change.waiting[i];
  }
}

std::vector<MachineTime> times_of(const RunTrace& trace) {
  std::vector<MachineTime> machines(trace.machines.size());
  for (const TraceSlice& slice : trace.slices) {
    MachineTime& machine = machines[slice.machine];
    const TraceTime start = slice.trace.ran->start;
    const TraceTime end = std::max(start, slice.trace.ran->completed);
    if (!machine.used) machine.begin = start;
    machine.end = machine.used ? std::max(machine.end, end) : end;
    machine.used = true;
    ++machine.changes[start].running;
    --machine.changes[end].running;
    add_waits(slice, machine.changes);
  }
  return machines;
}

}  // namespace

std::string_view to_string(SlotClass slot_class) {
  return kNames[static_cast<size_t>(slot_class)].name;
}

std::string_view title_of(SlotClass slot_class) {
  return kNames[static_cast<size_t>(slot_class)].title;
}

SlotTime slot_time(const RunTrace& trace) {
  SlotTime time;
  time.makespan = makespan(trace);
  for (const TraceSlice& slice : trace.slices) add_attempt(slice, time);
  const std::vector<MachineTime> machines = times_of(trace);
  for (size_t i = 0; i < machines.size(); ++i) {
    const auto lanes = static_cast<int64_t>(trace.machines[i].lanes);
    time.slots += trace.machines[i].lanes;
    of(time, SlotClass::absent) += (time.makespan - (machines[i].end - machines[i].begin)) * lanes;
    add_idle(machines[i], lanes, time);
  }
  return time;
}

}  // namespace pinwheel::analysis
