#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace pinwheel::inspect {

/// Why two builds of a file differ: the usual causes of non-reproducible builds.
enum class Cause {
  version,   ///< the wheels' own versions
  time,      ///< dates, times of day, seconds since 1970
  path,      ///< absolute paths
  random,    ///< hexadecimal identifiers: build ids, digests
  order,     ///< the same lines in a different order
  several,   ///< more than one of these
  contents,  ///< anything else
};
/// "version", "time", ...
std::string_view to_string(Cause cause);

/// The contents of a file, and the version of its wheel.
struct Versioned {
  std::string_view contents;
  std::string_view version;
};
/// The cause that explains every difference between two unequal texts or binaries.
Cause cause_of(const Versioned& left, const Versioned& right);

}  // namespace pinwheel::inspect
