#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "plan/frozen.h"
#include "plan/step.h"

namespace pinwheel::plan {

/// A step's own command, as it can be told to others: without the user's variables, which may hold
/// secrets.
struct StepCommand {
  std::string id;
  std::vector<std::string> argv;
  std::map<std::string, std::string> variables;  ///< of the matrix and of the plan

  bool operator==(const StepCommand&) const = default;
};

/// What a run was made of, as far as another machine must know it to repeat one of its steps.
struct RunOrigin {
  std::string pinwheel;  ///< the version that ran
  std::string matrix;    ///< relative to the root of its repository; else as it was named
  std::string commit;    ///< of that repository, 40 digits; empty outside git
  bool dirty = false;    ///< tracked files were not those of the commit
  std::map<std::string, std::string> variables = {};  ///< of the user's, those that decide a build
  std::string toolchain = {};                         ///< what the host's compiler said of itself
  FrozenPlan plan = {};
  std::vector<StepCommand> steps = {};  ///< of the steps that failed

  bool operator==(const RunOrigin&) const = default;
};

/// JSON, an object; the frozen plan stands in it as its own object.
std::string to_json(const RunOrigin& origin);
/// The inverse; `config` for text that is no origin.
Result<RunOrigin> parse_origin(std::string_view json);

/// The command that a step's action runs, as the matrix writes it (`{package}`); without argv for
/// an action that runs none of its own.
StepCommand command_of(const Step& step);

/// A step with all that it needs, in the order of the plan. `usage`, with the nearest name, when
/// the plan has no such step.
Result<Plan> subplan(const Plan& plan, const std::string& step);

}  // namespace pinwheel::plan
