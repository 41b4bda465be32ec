#pragma once
#include "base/result.h"
#include "cli/load.h"
#include "cli/options.h"
#include "cli/version_facts.h"
#include "host/machine/workplace.h"
#include "plan/make_plan.h"
#include "plan/outline.h"

namespace pinwheel::cli {

/// Whether to make the images that wheels are tested on.
enum class TestImageUse { leave, prepare };

/// The scope of a run: the selected part of a matrix, the last stage, the levels of environments,
/// the version. Decided before anything is made or resolved.
struct RunScope {
  GlobalOptions global;
  Loaded loaded;
  plan::Outline outline;
  LevelOptions levels;
  VersionFacts version = {};
  TestImageUse images = TestImageUse::leave;
  plan::PlanOptions options = {};  ///< derived from the stage, the targets and the levels
};

/// The scope with the options of a plan up to `stage`. `usage` for an invalid base image.
Result<RunScope> up_to(plan::Stage stage, RunScope scope);

/// What is known about a run so far: the input of each step of the pipeline.
struct RunView {
  const RunScope& scope;
  const host::Workplace& workplace;
  const plan::PlanFacts& facts;
};

}  // namespace pinwheel::cli
