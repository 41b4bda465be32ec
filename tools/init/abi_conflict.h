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

/// A version in the project's files that is not the planned one.
struct VersionConflict {
  StaticVersion project_version;
  Certainty certainty = Certainty::certain;
};

/// Compares the project's static version with the planned one, as PEP 440 does: "1.0" is "1.0.0".
/// nullopt if they are equal, if the project has no static version, or if its build takes the
/// version from git tags or from the variables that pinwheel sets. An old `PKG-INFO` is ignored.
std::optional<VersionConflict> version_conflict(const ProjectFacts& facts,
                                                const pep::Version& planned);

/// A value of `abi.python` that the project's files contradict.
struct AbiConflict {
  std::string message;  ///< the ABI that they produce instead, and the file that sets it
  std::string hint;
  Certainty certainty = Certainty::likely;

  bool operator==(const AbiConflict&) const = default;
};

/// Compares the value with the tags that the backend will produce and with the modules that
/// CMakeLists.txt and setup.py declare, before anything is compiled. `pythons` are those of the
/// matrix, ascending. `certain` if the backend's own tables decide; code that runs may change the
/// result. nullopt if the value seems to be right, or is narrower and does no harm.
std::optional<AbiConflict> abi_conflict(const ProjectFacts& facts, const std::string& promised,
                                        const std::vector<std::string>& pythons);

}  // namespace pinwheel::init
