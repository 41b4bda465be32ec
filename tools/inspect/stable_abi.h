#pragma once
#include <optional>
#include <span>
#include <string_view>

namespace pinwheel::inspect {

/// A symbol that every CPython has from one release on (PEP 384).
struct StableSymbol {
  std::string_view name;
  int minor = 0;  ///< 9 of 3.9
};

/// Sorted by name; those of Windows alone are left out.
std::span<const StableSymbol> stable_symbols();

/// The minor release of Python 3 in which a symbol became part of the Stable ABI; nullopt when it
/// is none of its symbols.
std::optional<int> stable_since(std::string_view symbol);

}  // namespace pinwheel::inspect
