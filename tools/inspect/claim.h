#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace pinwheel::inspect {

/// The build record of a wheel, `dist-info/pinwheel.json`.
struct Claim {
  /// The architectures it was built for: empty for a CPU build, nullopt when the backend chose
  /// them.
  std::optional<std::vector<std::string>> arch_list = std::nullopt;
  std::optional<std::string> torch = std::nullopt;  ///< the torch it was built with; "2.13"
  std::vector<std::string> variants = {};           ///< ids of the variants it serves
};

/// Kind `check` when the text is not a build record.
Result<Claim> claim_of(std::string_view record_json);

}  // namespace pinwheel::inspect
