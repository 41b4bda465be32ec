#pragma once
#include <string>
#include <string_view>

#include "base/result.h"
#include "pep/version.h"

namespace pinwheel::publish {

/// One version of a project.
struct PinnedVersion {
  std::string project;  ///< normalized
  pep::Version version;

  bool operator==(const PinnedVersion&) const = default;
};

/// Reads `PROJECT==VERSION`. Kind `usage` for anything else, such as a range.
Result<PinnedVersion> parse_pinned_version(std::string_view text);

/// "demo-ops==1.0+cu130".
std::string to_string(const PinnedVersion& pinned);

/// Whether `==` of PEP 440 selects the version: `1.0` also selects `1.0+cu130`, and `1.0+cu130`
/// selects no other.
bool is_pinned_by(const pep::Version& version, const PinnedVersion& pinned);

}  // namespace pinwheel::publish
