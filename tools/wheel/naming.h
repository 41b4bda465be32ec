#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace pinwheel::wheel {

/// The name of a finished wheel: the same contents may go to several targets under different names.
struct Naming {
  std::string distribution;  ///< "pinwheel-kernels", "pinwheel-kernels-cpu"
  std::string version;       ///< with a local part if the target uses one, "1.2.0+cu130"
  std::vector<std::string> targets = {};  ///< publish targets that use this name
  /// The exact requirements on the other packages of its family, by the project's name:
  /// "my-ops-cuda" -> "my-ops-cuda-cu130==1.2.0".
  std::map<std::string, std::string> pins = {};
  uint64_t build = 0;  ///< build number (PEP 427); 0: none

  bool operator==(const Naming&) const = default;
};

}  // namespace pinwheel::wheel
