#pragma once
#include "base/result.h"
#include "cli/load.h"
#include "cli/options.h"
#include "cli/version_facts.h"
#include "host/machine/workplace.h"
#include "plan/make_plan.h"
#include "plan/outline.h"

namespace pinwheel::cli {

/// Whether the images that wheels are tested on are made as well.
enum class TestImages { leave, prepare };

/// What a run is about: which part of which matrix, how far it is carried, in environments of which
/// levels, as which version. Decided before anything is made or resolved.
struct RunScope {
  GlobalOptions global;
  Loaded loaded;
  plan::Outline outline;
  LevelOptions levels;
  VersionFacts version = {};
  TestImages images = TestImages::leave;
  plan::PlanOptions options = {};  ///< follow from the stage, the targets and the levels
};

/// The scope with the options of a plan that goes as far as `stage`. `usage` for a base image that
/// is no image.
Result<RunScope> up_to(plan::Stage stage, RunScope scope);

/// A run as far as it is known: what each step of the pipeline is given.
struct RunView {
  const RunScope& scope;
  const host::Workplace& workplace;
  const plan::PlanFacts& facts;
};

}  // namespace pinwheel::cli
