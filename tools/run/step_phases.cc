#include "run/step_phases.h"

#include <algorithm>
#include <utility>

namespace pinwheel::run {

std::vector<bool> remote_steps(const plan::Plan& plan, const Executor& executor) {
  std::vector<bool> remote;
  remote.reserve(plan.steps.size());
  for (const plan::Step& step : plan.steps) {
    remote.push_back(executor.scheduling_of(step) == Scheduling::executor);
  }
  return remote;
}

StepPhases::StepPhases(const Graph& graph, std::vector<bool> remote)
    : graph_(graph),
      remote_(std::move(remote)),
      any_remote_(std::ranges::find(remote_, true) != remote_.end()),
      phases_(remote_.size(), Phase::waiting) {
  std::set<size_t>& waiting = steps_in(Phase::waiting);
  holding_.reserve(phases_.size());
  for (size_t i = 0; i < phases_.size(); ++i) {
    waiting.insert(waiting.end(), i);
    holding_.push_back(graph.needs[i].size());
  }
}

void StepPhases::set(size_t step, Phase phase) {
  if (of(step) == phase) return;
  const bool held_before = !holds_nothing(step);
  steps_in(of(step)).erase(step);
  steps_in(phase).insert(step);
  phases_[step] = phase;
  offer(step);
  const bool holds_now = !holds_nothing(step);
  if (held_before == holds_now) return;
  for (const size_t next : graph_.dependents[step]) {
    holds_now ? ++holding_[next] : --holding_[next];
    if (!holds_now) offer(next);
  }
}

std::vector<size_t> StepPhases::in(std::initializer_list<Phase> any_of, size_t most) const {
  std::vector<size_t> found;
  for (const Phase phase : any_of) {
    size_t taken = 0;
    for (const size_t step : steps_in(phase)) {
      if (taken++ == most) break;
      found.push_back(step);
    }
  }
  std::ranges::sort(found);
  if (found.size() > most) found.resize(most);
  return found;
}

bool StepPhases::is_job(size_t step) const {
  return remote_[step] && (of(step) == Phase::submitted || of(step) == Phase::running);
}

bool StepPhases::can_submit(size_t step) const {
  if (!remote_[step]) return false;
  return of(step) == Phase::ready || (of(step) == Phase::waiting && holding_[step] == 0);
}

void StepPhases::offer(size_t step) {
  if (can_submit(step)) offered_.insert(step);
}

std::optional<size_t> StepPhases::next_to_submit() {
  while (!offered_.empty()) {
    const size_t step = *offered_.begin();
    offered_.erase(offered_.begin());
    if (can_submit(step)) return step;
  }
  return std::nullopt;
}

}  // namespace pinwheel::run
