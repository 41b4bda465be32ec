#pragma once
#include <string>
#include <vector>

#include "init/draft.h"
#include "init/project_facts.h"

namespace pinwheel::init {

/// The use of torch by a project: `axes.torch`, `abi.torch`, and the reason.
struct TorchChoice {
  std::string needed_because = {};         ///< empty: it does not need torch
  std::vector<std::string> releases = {};  ///< ascending; empty without torch
  std::string releases_because = {};
  std::string abi = "none";  ///< "none", "stable(2.10)", "minor"
  std::string abi_because = {};
  std::vector<LeftOut> left_out = {};
};

/// torch is needed if the build or the run requires it, or if sources include it. The releases are
/// those that the user requests, else the known ones of the workflows, else the newest known ones
/// that satisfy the requirements.
TorchChoice choose_torch(const ProjectFacts& facts);

/// The choice with the releases for its `abi`.
TorchChoice with_releases(const ProjectFacts& facts, TorchChoice choice);

}  // namespace pinwheel::init
