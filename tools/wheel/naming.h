#pragma once
#include <string>
#include <vector>

namespace pinwheel::wheel {

/// How one finished wheel is called: the same contents may go to several targets under other names.
struct Naming {
  std::string distribution;  ///< "pinwheel-kernels", "pinwheel-kernels-cpu"
  std::string version;       ///< with its local part where the target wants one, "1.2.0+cu130"
  std::vector<std::string> targets = {};  ///< publish targets that take this name

  bool operator==(const Naming&) const = default;
};

}  // namespace pinwheel::wheel
