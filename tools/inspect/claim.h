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
  std::string compute = {};                         ///< of its build; "cuda/13.0"
  std::vector<std::string> variants = {};           ///< ids of the variants it serves
};

/// Kind `check` when the text is not a build record. The record of a derived wheel may state
/// nothing but its origin.
Result<Claim> claim_of(std::string_view record_json);

/// The wheel that another one was derived from.
struct Origin {
  std::string file;
  std::string sha256;  ///< hexadecimal
};

/// The build record of the derived wheel: that of the original, which may be empty, with the origin
/// as `derived-from`. Kind `check` when the text is not a JSON object.
Result<std::string> with_origin(std::string_view record_json, const Origin& origin);

}  // namespace pinwheel::inspect
