#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "plan/frozen.h"
#include "plan/step.h"

namespace pinwheel::plan {

/// A step's own command in a form that can be shared: without the user's variables, which may
/// contain secrets.
struct StepCommand {
  std::string id;
  std::vector<std::string> argv;
  std::map<std::string, std::string> variables;  ///< of the matrix and of the plan

  bool operator==(const StepCommand&) const = default;
};

/// The inputs of a run that another machine needs to repeat one of its steps.
struct RunOrigin {
  std::string pinwheel;  ///< the version that ran
  std::string matrix;    ///< relative to the root of its repository; else as given
  std::string commit;    ///< of that repository, 40 digits; empty outside git
  bool dirty = false;    ///< tracked files differed from the commit
  std::map<std::string, std::string> variables = {};  ///< the user's variables that affect a build
  std::string toolchain = {};                         ///< version output of the host's compiler
  FrozenPlan plan = {};
  std::vector<StepCommand> steps = {};  ///< of the steps that failed

  bool operator==(const RunOrigin&) const = default;
};

/// A JSON object; the frozen plan is an object inside it.
std::string to_json(const RunOrigin& origin);
/// The inverse; `config` for text that is not an origin.
Result<RunOrigin> parse_origin(std::string_view json);

/// The command of a step's action, as written in the matrix (`{package}`); without argv if the
/// action has no command of its own.
StepCommand command_of(const Step& step);

}  // namespace pinwheel::plan
