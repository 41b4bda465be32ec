#pragma once
#include <string>
#include <vector>

#include "inspect/wheel_facts.h"

namespace pinwheel::inspect {

enum class Provider {
  system,    ///< every system of the wheel's policy has it
  own,       ///< the wheel itself
  torch,     ///< the torch distribution
  gpu,       ///< the driver, or a distribution of NVIDIA's or AMD's libraries
  declared,  ///< the user declared it as external
  nobody,
};

/// "the system", "the wheel itself", ...
std::string to_string(Provider provider);
/// The name used in JSON: "system".
std::string_view provider_id(Provider provider);

/// A library that binaries of the wheel need, and its provider at run time.
struct NeededLibrary {
  std::string soname;
  Provider provider = Provider::nobody;
  std::vector<std::string> needed_by = {};  ///< members, in wheel order
};

/// Sorted by soname. System libraries are those of the newest policy: whether an older policy has
/// the library is up to the platform tag rule. `external` as in `Expectations`.
std::vector<NeededLibrary> needed_libraries(const WheelFacts& facts,
                                            const std::vector<std::string>& external);

}  // namespace pinwheel::inspect
