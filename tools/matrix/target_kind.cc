#include "matrix/target_kind.h"

#include <algorithm>

namespace pinwheel::matrix {

std::optional<TargetKind> parse_target_kind(std::string_view name) {
  const auto* const found = std::find_if(kTargetKinds.begin(), kTargetKinds.end(),
                                         [&](TargetKind kind) { return to_string(kind) == name; });
  return found == kTargetKinds.end() ? std::nullopt : std::optional(*found);
}

}  // namespace pinwheel::matrix
