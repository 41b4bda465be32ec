#pragma once
#include <optional>
#include <string>
#include <vector>

#include "init/project_facts.h"
#include "init/version_conflict.h"

namespace pinwheel::init {

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
