#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "inspect/wheel_facts.h"

namespace pinwheel::compat {

/// Whether the C and C++ libraries of a distribution have every symbol version that a wheel's
/// binaries need.
struct DistributionVerdict {
  std::string_view name;   ///< "Ubuntu 22.04"
  std::string_view glibc;  ///< "2.35"
  bool runs = true;
  std::vector<std::string> reasons = {};  ///< "`demo/_C.so` needs `GLIBC_2.38`"
};

/// CentOS 7, Amazon Linux 2023, Ubuntu 20.04 to 26.04, Debian 11 to 13, oldest C library first.
/// None of them runs a wheel for musl, one whose modules do not find the wheel's own libraries, or
/// one with a symbol that nothing provides. Versions of libraries bundled in the wheel are ignored.
/// A reason names the newest version of a family, and the first member that needs it.
std::vector<DistributionVerdict> judge_distributions(const inspect::WheelFacts& facts);

}  // namespace pinwheel::compat
