#pragma once
#include <optional>
#include <span>
#include <string_view>

namespace pinwheel::inspect {

/// A symbol of the Stable ABI (PEP 384) and the release that added it.
struct StableSymbol {
  std::string_view name;
  int minor = 0;  ///< 9 of 3.9
};

/// Sorted by name; Windows-only symbols are omitted.
std::span<const StableSymbol> stable_symbols();

/// The minor release of Python 3 in which a symbol became part of the Stable ABI; nullopt for other
/// symbols.
std::optional<int> stable_since(std::string_view symbol);

}  // namespace pinwheel::inspect
