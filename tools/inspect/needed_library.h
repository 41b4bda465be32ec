#pragma once
#include <string>
#include <vector>

#include "inspect/wheel_facts.h"

namespace pinwheel::inspect {

enum class Provider {
  system,    ///< every system of the wheel's manylinux policy has it
  own,       ///< the wheel itself
  torch,     ///< the torch distribution
  gpu,       ///< the driver, or a distribution of NVIDIA's or AMD's libraries
  declared,  ///< the user said that something brings it
  nobody,
};

/// "the system", "the wheel itself", ...
std::string to_string(Provider provider);
/// The word that JSON has for it: "system".
std::string_view provider_id(Provider provider);

/// A library that binaries of the wheel need, and who brings it at run time.
struct NeededLibrary {
  std::string soname;
  Provider provider = Provider::nobody;
  std::vector<std::string> needed_by = {};  ///< members, in the wheel's order
};

/// Sorted by soname. The system is that of the newest policy: whether an older one has the library
/// too is the platform tag's business. `external` as in `Expectations`.
std::vector<NeededLibrary> needed_libraries(const WheelFacts& facts,
                                            const std::vector<std::string>& external);

}  // namespace pinwheel::inspect
