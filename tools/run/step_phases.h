#pragma once
#include <array>
#include <cstddef>
#include <initializer_list>
#include <limits>
#include <optional>
#include <set>
#include <vector>

#include "run/executor.h"
#include "run/schedule.h"

namespace pinwheel::run {

/// `submitted`: a job that its executor schedules, and that has not started.
enum class Phase { waiting, ready, submitted, running, delayed, finished };

/// By step, whether its executor schedules it.
std::vector<bool> remote_steps(const plan::Plan& plan, const Executor& executor);

/// The phases of the steps of an execution, which all begin as `waiting`. A change updates only the
/// steps that it concerns, so no event requires a look at all steps.
class StepPhases {
 public:
  /// `remote`: as from `remote_steps`. The graph must outlive this.
  StepPhases(const Graph& graph, std::vector<bool> remote);

  Phase of(size_t step) const { return phases_[step]; }
  void set(size_t step, Phase phase);

  size_t count(Phase phase) const { return steps_in(phase).size(); }
  bool all_finished() const { return count(Phase::finished) == phases_.size(); }
  /// The first steps in any of these phases, in plan order.
  std::vector<size_t> in(std::initializer_list<Phase> any_of,
                         size_t most = std::numeric_limits<size_t>::max()) const;

  bool is_remote(size_t step) const { return remote_[step]; }
  bool any_remote() const { return any_remote_; }
  /// Whether a step is submitted or running, and its executor schedules it.
  bool is_job(size_t step) const;

  /// Takes the first step of the plan that its executor schedules and that is `ready`, or that is
  /// `waiting` while each of its needs has ended or is a job. Each step is returned once for each
  /// change that makes it so.
  std::optional<size_t> next_to_submit();

 private:
  const std::set<size_t>& steps_in(Phase phase) const { return steps_[static_cast<size_t>(phase)]; }
  std::set<size_t>& steps_in(Phase phase) { return steps_[static_cast<size_t>(phase)]; }
  /// Whether the steps that need this step can be submitted without waiting for it.
  bool holds_nothing(size_t step) const { return of(step) == Phase::finished || is_job(step); }
  bool can_submit(size_t step) const;
  void offer(size_t step);

  const Graph& graph_;
  const std::vector<bool> remote_;
  const bool any_remote_;
  std::vector<Phase> phases_;
  std::array<std::set<size_t>, 6> steps_;  ///< by phase
  std::vector<size_t> holding_;            ///< by step: its needs that hold it
  std::set<size_t> offered_;
};

}  // namespace pinwheel::run
