#pragma once
#include <string>
#include <vector>

#include "init/draft.h"
#include "init/project_facts.h"

namespace pinwheel::init {

/// What a project has to do with torch: `axes.torch`, `abi.torch`, and why.
struct TorchChoice {
  std::string needed_because = {};         ///< empty: it does not need torch
  std::vector<std::string> releases = {};  ///< ascending; empty without torch
  std::string releases_because = {};
  std::string abi = "none";  ///< "none", "stable(2.10)", "minor"
  std::string abi_because = {};
  std::vector<LeftOut> left_out = {};
};

/// It is needed if it is required to build or to run, or if sources include it. The releases are
/// those that the user wants, else those of the workflows that are known, else the newest known
/// ones that the requirements admit.
TorchChoice choose_torch(const ProjectFacts& facts);

/// The choice with the releases for its `abi`.
TorchChoice with_releases(const ProjectFacts& facts, TorchChoice choice);

}  // namespace pinwheel::init
