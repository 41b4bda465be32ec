#pragma once
#include <cstdint>

namespace pinwheel::env {

/// The archives of packages that installations needed from servers.
struct PackageTraffic {
  uint64_t fetched = 0;    ///< bytes of the downloaded archives
  uint64_t downloads = 0;  ///< archives that were downloaded
  uint64_t cached = 0;     ///< archives that the installer's cache had

  bool operator==(const PackageTraffic&) const = default;
};

}  // namespace pinwheel::env
