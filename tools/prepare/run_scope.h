#pragma once
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "host/machine/workplace.h"
#include "plan/make_plan.h"
#include "plan/outline.h"
#include "prepare/host.h"
#include "prepare/load.h"
#include "prepare/options.h"
#include "prepare/version_facts.h"
#include "store/place_description.h"

namespace pinwheel::prepare {

/// Whether to make the images on which wheels are tested.
enum class TestImageUse { leave, prepare };

/// The part of a plan that a run executes. The rest is not prepared.
struct ExecutedPart {
  std::set<std::string> steps;       ///< ids of steps, without environments and toolkits
  std::set<std::string> containers;  ///< digests of the settings of their containers
  std::set<std::string> requests;    ///< digests of the requests for their environments
};

/// The scope of a run: the selected part of a matrix, the last stage, the levels of environments,
/// the version. Decided before anything is made or resolved.
struct RunScope {
  GlobalOptions global;
  Loaded loaded;
  plan::Outline outline;
  LevelOptions levels;
  VersionFacts version = {};
  TestImageUse images = TestImageUse::leave;
  /// From the matrix's `store:`.
  std::vector<store::PlaceDescription> stores = {};
  plan::PlanOptions options = {};  ///< derived from the stage, the targets and the levels
  std::optional<ExecutedPart> executed = {};  ///< none: everything
};

/// The plan options from the command line: the last stage, and the engine and Python source of
/// environments. `usage` for an invalid base image. Pure.
Result<plan::PlanOptions> plan_options(plan::Stage stage, const std::vector<std::string>& targets,
                                       const LevelOptions& levels);

/// The options of a plan of the scope up to `stage`. `usage` for an invalid base image.
Result<plan::PlanOptions> options_up_to(plan::Stage stage, const RunScope& scope);

/// The scope with these options.
Result<RunScope> up_to(plan::Stage stage, RunScope scope);

/// The known facts of a run so far: the input of each step of the pipeline.
struct RunView {
  const Host& host;
  const RunScope& scope;
  const host::Workplace& workplace;
  const plan::PlanFacts& facts;
};

}  // namespace pinwheel::prepare
