#pragma once
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
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

/// The systems on which a library is loaded.
struct LoadPlace {
  std::string arch;  ///< "x86_64"
  pep::Libc libc = pep::Libc::glibc;
};
/// The systems of the wheel's libraries; a wheel of both C libraries counts as one of glibc, and
/// each library then runs on half of the systems.
LoadPlace load_place(const WheelFacts& facts);

/// The provider of a library that the wheel does not contain; `external` as in `Expectations`.
Provider outside_provider(const LoadPlace& place, const std::string& soname,
                          const std::vector<std::string>& external);

/// Sorted by soname. System libraries are those of the newest policy: the platform tag rule decides
/// whether an older policy has the library. `external` as in `Expectations`.
std::vector<NeededLibrary> needed_libraries(const WheelFacts& facts,
                                            const std::vector<std::string>& external);

/// The names that these libraries need, each once, in order.
std::set<std::string> needed_names(const std::vector<ElfMember>& libraries);

/// A warning for each of the sonames or globs that matches none of the needed names, with the
/// nearest name: the pattern excluded nothing. `option` is the source of the patterns,
/// "--external".
std::vector<Error> unmatched_patterns(std::string_view option,
                                      const std::vector<std::string>& patterns,
                                      const std::set<std::string>& needed);

}  // namespace pinwheel::inspect
