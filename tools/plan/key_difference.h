#pragma once
#include <optional>
#include <string>
#include <vector>

#include "plan/key.h"

namespace pinwheel::plan {

/// A part that two keys do not have in common.
struct KeyDifference {
  std::string part;
  std::optional<std::string> then = std::nullopt;  ///< nullopt: it is new
  std::optional<std::string> now = std::nullopt;   ///< nullopt: it is gone

  bool operator==(const KeyDifference&) const = default;
};

/// How two keys differ, sorted by part.
std::vector<KeyDifference> key_differences(const KeyParts& then, const KeyParts& now);

/// "version: 1.2.0 -> 1.3.0", "source.digest changed", "variables.CFLAGS is new",
/// "variables.CFLAGS is gone".
std::string to_text(const KeyDifference& difference);

}  // namespace pinwheel::plan
