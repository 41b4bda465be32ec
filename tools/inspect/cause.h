#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace pinwheel::inspect {

/// Why two builds of one file differ: what builds that cannot be repeated put into it.
enum class Cause {
  version,   ///< the wheels' own versions
  time,      ///< dates, times of day, seconds since 1970
  path,      ///< absolute paths
  random,    ///< hexadecimal names: identifiers of builds, digests
  order,     ///< the same lines in another order
  several,   ///< more than one of these
  contents,  ///< anything else
};
/// "version", "time", ...
std::string_view to_string(Cause cause);

/// A file of each wheel, and the version of that wheel.
struct Versioned {
  std::string_view contents;
  std::string_view version;
};
/// The one class that explains every difference between two texts or binaries that are not equal.
Cause cause_of(const Versioned& left, const Versioned& right);

}  // namespace pinwheel::inspect
