#pragma once
#include <functional>
#include <string>

#include "plan/step.h"
#include "slurm/script.h"
#include "slurm/settings.h"

namespace pinwheel::slurm {

/// The input of `plan_script`.
struct WholePlan {
  const plan::Plan& plan;
  const SlurmSettings& settings;
  const JobSite& site;
  int largest_array = 0;
  std::function<std::string(const std::string& step)> token;
  std::string allocation = {};  ///< the job of Slurm that the run is in; empty: none
};

/// A bash script that submits all jobs of a plan with their dependencies, for a dry run.
std::string plan_script(const WholePlan& whole);

}  // namespace pinwheel::slurm
