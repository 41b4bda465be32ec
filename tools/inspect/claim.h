#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace pinwheel::inspect {

/// What a wheel says of its own build, in `dist-info/pinwheel.json`.
struct Claim {
  /// The architectures it was built for: empty for a CPU build, nullopt when the build left the
  /// choice to the backend.
  std::optional<std::vector<std::string>> arch_list = std::nullopt;
  std::optional<std::string> torch = std::nullopt;  ///< it was built with; "2.13"
  std::vector<std::string> variants = {};           ///< it serves, ids of its matrix
};

/// Kind `check` when the text is no such record.
Result<Claim> claim_of(std::string_view record_json);

}  // namespace pinwheel::inspect
