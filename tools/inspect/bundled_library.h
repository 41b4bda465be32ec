#pragma once
#include <string>
#include <vector>

#include "inspect/wheel_facts.h"

namespace pinwheel::inspect {

/// A library in a wheel that belongs to another distribution.
struct BundledLibrary {
  std::string member;
  std::string soname;        ///< the owner's name for it: "libtorch_cpu.so" for
                             ///< `libtorch_cpu-1a2b3c4d.so`
  std::string distribution;  ///< "torch"
};

/// "libtorch.so" for "libtorch-1a2b3c4d.so" and "libtorch.1a2b3c4d.so": tools that bundle libraries
/// add digits of a digest.
std::string original_name(const std::string& name);

/// The libraries of torch and of other distributions that share theirs, except in a wheel of their
/// owner. Tools that bundle libraries rename them by their contents; both names count.
std::vector<BundledLibrary> bundled_libraries(const WheelFacts& facts);

/// Whether a normalized name is that of the distribution, or of one of its variants:
/// `tensorflow-cpu`, `nvidia-cublas-cu12` of "nvidia-cublas".
bool is_distribution(const std::string& name, const std::string& distribution);

}  // namespace pinwheel::inspect
