#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "version/derive.h"

namespace pinwheel::version {

/// The inputs of a calendar version.
struct CalverFacts {
  std::optional<std::string> frozen = std::nullopt;  ///< version.txt, from an sdist
  /// Every release on the index; nullopt when the index was not queried, empty when it has none.
  std::optional<std::vector<std::string>> published = std::nullopt;
  std::chrono::system_clock::time_point date;
};

/// YY.M.N: year and month of the date (UTC, the month not padded); N is one more than that of the
/// index's newest release of the month, or 0. A frozen version takes precedence over the index. If
/// the newest release is a pre-release of YY.M.N, the next one is YY.M.N itself.
///
/// `config`: a frozen or newest version that is not three numbers; a newest release of a later
/// month than the date; an index that was not queried.
Result<Derived> calver(const CalverFacts& facts);

}  // namespace pinwheel::version
