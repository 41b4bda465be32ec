#pragma once
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "plan/names.h"
#include "plan/outline.h"
#include "plan/step.h"
#include "plan/step_inputs.h"

namespace pinwheel::plan {

/// The step that publishes the builds of an outline to a target. It needs their tests, including
/// those on distributions, with the evidence that the matrix requires. Builds that serve only
/// experimental variants are withheld, unless a published wheel requires theirs. `usage` for an
/// unknown target, `check` if nothing remains.
Result<Step> publish_step(const StepInputs& in, const std::string& target, const Outline& outline,
                          const Namings& namings);

/// The installation of a variant's wheel, which `group` builds, from the first target.
Result<Step> install_step(const StepInputs& in, const std::string& id, const BuildGroup& group,
                          const Namings& namings);

/// The sdist of a package, and the build whose environment makes it.
struct PlannedSdist {
  const matrix::Package* package = nullptr;
  const BuildGroup* group = nullptr;

  /// Of its step.
  std::string id() const;
};

/// The sdists of the packages that the outline builds, in the order of the matrix; none for a
/// re-cut, which uses those that the version has already.
std::vector<PlannedSdist> planned_sdists(const StepInputs& in, const Outline& outline);

/// How an sdist is built: with the environment and the settings of the variant that represents its
/// build.
struct SdistSetup {
  std::shared_ptr<const matrix::Settings> settings;
  env::Request environment;
};
Result<SdistSetup> sdist_setup(const StepInputs& in, const PlannedSdist& sdist);

/// The steps in a plan that build the sdists of a publication: an sdist is published only with a
/// wheel of its name. In the order of the plan.
std::vector<const Step*> published_sdists(const Plan& plan, const Publish& publication);

}  // namespace pinwheel::plan
