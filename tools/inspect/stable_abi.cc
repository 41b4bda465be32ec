#include "inspect/stable_abi.h"

#include <algorithm>

namespace pinwheel::inspect {

std::optional<int> stable_since(std::string_view symbol) {
  const std::span<const StableSymbol> known = stable_symbols();
  const auto found = std::lower_bound(
      known.begin(), known.end(), symbol,
      [](const StableSymbol& each, std::string_view name) { return each.name < name; });
  if (found == known.end() || found->name != symbol) return std::nullopt;
  return found->minor;
}

}  // namespace pinwheel::inspect
