#pragma once
#include <optional>
#include <string>
#include <vector>

#include "pep/version.h"

namespace pinwheel::compat {

/// The granularity of a range of releases: the classic C++ ABI is stable within a minor release,
/// the Stable ABI since a release.
enum class PinBy { minor, release };

struct ReleaseLoads {
  pep::Version version;  ///< public
  bool loads = false;
};

/// A range of consecutive releases that all load.
struct TorchRange {
  pep::Version from;
  std::optional<pep::Version> before =
      std::nullopt;  ///< the first excluded release; nullopt: no known end
};

/// The maximal ranges, oldest first; `releases` are ascending. By minor, a minor release is a unit:
/// it loads when all its releases do, and a range always ends, at the next minor.
std::vector<TorchRange> loading_ranges(const std::vector<ReleaseLoads>& releases, PinBy by);

/// 2.13 for 2.13.1.
pep::Version minor_of(const pep::Version& version);
/// "torch>=2.13,<2.14".
std::string pin(const TorchRange& range);

}  // namespace pinwheel::compat
