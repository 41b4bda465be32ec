#pragma once
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/load.h"
#include "host/machine/workplace.h"
#include "plan/action.h"

namespace pinwheel::cli {

/// What decides a build beyond its version and its packages.
struct BuildFacts {
  plan::Source source = {};
  std::map<std::string, std::string> variables = {};  ///< the user's, those that decide a build
  std::string toolchain = {};  ///< what the host's compiler says of itself; empty without one
};

/// Reads the package's source, and asks the host's compiler for its version.
Result<BuildFacts> gather_build_facts(const Loaded& loaded, const host::Workplace& workplace);

/// Whether a variable of the user's decides what a build makes, and so stands in its key.
bool decides_build(std::string_view name);

}  // namespace pinwheel::cli
