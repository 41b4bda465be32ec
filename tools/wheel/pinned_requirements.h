#pragma once
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "wheel/metadata.h"

// Pins of siblings
//
// A wheel of a package family requires the exact version of each sibling. Its METADATA names the
// sibling as the project does; on an index, the sibling may have another name (`my-ops-cuda-cu130`)
// or a local version. So the requirement is written when the wheel is finished.

namespace pinwheel::wheel {

/// The exact requirements of a wheel by the projects that its METADATA names: "my-ops-cuda" ->
/// "my-ops-cuda-cu130==1.2.0".
using Pins = std::map<std::string, std::string>;

/// Reads `NAME==VERSION` (PEP 508), or `PROJECT=NAME==VERSION` for a project that has another name
/// on the index. The version may be local. Kind `usage` for anything else, such as extras, a marker
/// or a wildcard, and for two pins of one project.
Result<Pins> parse_pins(const std::vector<std::string>& texts);
/// The inverse, a text for each pin.
std::vector<std::string> to_texts(const Pins& pins);

/// What the requirements of a wheel become.
struct PinnedRequirements {
  std::map<std::string, std::string> changed = {};  ///< Requires-Dist before and after
  std::vector<std::string> added = {};              ///< of projects that no line names
};

/// Every requirement on a pinned project, under the name in METADATA or that of the pin, becomes
/// the exact one and keeps its extras and marker. A pin that no requirement names is added. Kind
/// `check` if a requirement excludes the pinned version or is malformed, and `usage` for an invalid
/// pin. A local version in a requirement does not exclude a pinned version without one.
Result<PinnedRequirements> pinned_requirements(const std::vector<std::string>& requirements,
                                               const Pins& pins);

/// Changes the requirements of METADATA to the pinned ones, in place; equal ones are there once.
Done pin_requirements(Metadata& metadata, const Pins& pins);

/// The requirements of a finished wheel, outside extras, on other projects than the pinned ones.
std::vector<std::string> unpinned_requirements(const std::vector<std::string>& requirements,
                                               const Pins& pins);

}  // namespace pinwheel::wheel
