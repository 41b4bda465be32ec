#pragma once
#include <optional>

#include "init/identity.h"
#include "init/project_facts.h"
#include "pep/version.h"

namespace pinwheel::init {

/// `likely` for a literal in code that may compute another version when it runs.
enum class Certainty { certain, likely };

/// A version that the project says, and that is not the planned one.
struct VersionConflict {
  StaticVersion said;
  Certainty certainty = Certainty::certain;
};

/// Compares the project's static version with the planned one, as PEP 440 does: "1.0" is "1.0.0".
/// nullopt if they are equal, if the project says none, or if its build takes the version from git
/// tags or from the variables that pinwheel sets. An old `PKG-INFO` says nothing.
std::optional<VersionConflict> version_conflict(const ProjectFacts& facts,
                                                const pep::Version& planned);

}  // namespace pinwheel::init
