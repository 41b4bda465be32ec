#pragma once
#include <optional>
#include <string>
#include <vector>

#include "pep/version.h"

namespace pinwheel::compat {

/// How finely a range of releases may be cut: the classic C++ ABI holds within a minor release, the
/// Stable ABI from one release on.
enum class PinBy { minor, release };

struct ReleaseLoads {
  pep::Version version;  ///< public
  bool loads = false;
};

/// Releases that follow each other and all load.
struct TorchRange {
  pep::Version from;
  std::optional<pep::Version> before = std::nullopt;  ///< the first that is out; none: no end known
};

/// The longest ranges, oldest first; `releases` ascend. By minor, a minor release counts as one: it
/// loads when all of its releases do, and a range always ends, at the next minor.
std::vector<TorchRange> loading_ranges(const std::vector<ReleaseLoads>& releases, PinBy by);

/// 2.13 of 2.13.1.
pep::Version minor_of(const pep::Version& version);
/// "torch>=2.13,<2.14".
std::string pin(const TorchRange& range);

}  // namespace pinwheel::compat
