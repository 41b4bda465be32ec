#pragma once
#include <optional>
#include <string>
#include <vector>

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

/// A promise of `abi.python` that the project's files do not keep.
struct AbiConflict {
  std::string message;  ///< what they make instead, and where it is said
  std::string hint;
  Certainty certainty = Certainty::likely;

  bool operator==(const AbiConflict&) const = default;
};

/// Compares the promise with the tags that the backend will give and with the modules that
/// CMakeLists.txt and setup.py declare, before anything is compiled. `pythons` are those of the
/// matrix, ascending. `certain` where the backend's own tables say it; code that runs may do
/// otherwise. nullopt if the promise seems to be kept, or is narrower and harms nothing.
std::optional<AbiConflict> abi_conflict(const ProjectFacts& facts, const std::string& promised,
                                        const std::vector<std::string>& pythons);

}  // namespace pinwheel::init
