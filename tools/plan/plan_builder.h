#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/text_index.h"
#include "env/request.h"
#include "plan/step.h"
#include "plan/step_inputs.h"

namespace pinwheel::plan {

/// Collects the steps of a plan in order; gives each its key, and each environment exactly one
/// step. Without actions it collects only needs, resources and times.
class PlanBuilder {
 public:
  /// For a plan of about `count` steps. The inputs must outlive it.
  PlanBuilder(const StepInputs& in, size_t count);

  /// Adds a step, whose needs were added before. `config` if the plan has a step of its name.
  Done add(Step&& step);

  /// Adds a copy of the earlier step, without an action and with a different id. `last_need`
  /// replaces the last step that the earlier step needs.
  Done add_like(size_t earlier, std::string id, std::optional<size_t> last_need);

  /// The step that makes an environment, added if it is new; builds come before tests, so an
  /// environment that a test adds serves only tests.
  Result<std::string> environment(const env::Request& request, const Step& user);

  /// The step that makes the toolkit of a build; empty if the toolkit is found, not made.
  Result<std::string> toolkit(const env::Request& request, const Step& user);

  /// The index of the step that was added last.
  size_t last() const { return count() - 1; }

  std::vector<TimedStep> timed_steps() && { return std::move(timed_); }
  /// The plan with its digest and predicted times.
  Plan finish() &&;

 private:
  Done add_whole(Step&& step);
  Done add_timed(TimedStep&& step);
  bool is_whole() const { return in_.contents == StepContents::whole; }
  size_t count() const { return is_whole() ? plan_.steps.size() : timed_.size(); }
  std::optional<size_t> find(std::string_view id) const;
  size_t place_of(std::string_view id) const { return find(id).value(); }
  /// Notes the id of the next step, which must follow at once. `config` if it is not new.
  Done index_next(const std::string& id);
  const std::string& id_at(size_t place) const;

  const StepInputs& in_;
  Plan plan_;
  std::vector<TimedStep> timed_;  ///< instead of the plan's steps
  TextIndex places_;              ///< of the steps by their ids
};

}  // namespace pinwheel::plan
