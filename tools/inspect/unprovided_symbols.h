#pragma once
#include <string>
#include <vector>

#include "inspect/libc.h"
#include "inspect/wheel_facts.h"

namespace pinwheel::inspect {

/// A symbol that a library imports and that nothing provides.
struct UnprovidedSymbol {
  std::string name;
  std::string member;  ///< the library that imports it
  /// A later release of the C library exports it.
  std::optional<LibcRelease> since = std::nullopt;

  bool operator==(const UnprovidedSymbol&) const = default;
};

/// The symbols that the libraries import and that neither the wheel, nor Python, nor the C library
/// of that release, nor zlib, nor a library that they need provides. Weak symbols may be missing.
/// On glibc, a symbol with a version belongs to the library of the version, which the platform tag
/// covers; musl has no versions. Symbols of torch, of GPU libraries and of OpenMP, and those of a
/// library that needs one whose exports are unknown, are left out. In the order of the libraries,
/// sorted by name.
std::vector<UnprovidedSymbol> unprovided_symbols(const WheelFacts& facts,
                                                 const LibcRelease& release);

}  // namespace pinwheel::inspect
