#pragma once
#include <optional>
#include <string>

#include "inspect/wheel_facts.h"

namespace pinwheel::inspect {

/// Whether a distribution that the wheel requires unconditionally (no extra) provides that NVIDIA
/// library: `nvidia-cuda-runtime-cu12` provides "libcudart.so.12" but not "libcudart.so.13". The
/// number is ignored for libraries not numbered like their toolkit.
bool is_required_library(const WheelFacts& facts, const std::string& soname);

/// The NVIDIA distribution that provides a library.
struct NvidiaDistribution {
  std::string stem;                  ///< "cuda-runtime" of `nvidia-cuda-runtime-cu12`
  bool numbered_as_toolkit = false;  ///< the library's number is CUDA's major version
};
/// nullopt for a library that none of NVIDIA's distributions provides.
std::optional<NvidiaDistribution> nvidia_distribution(const std::string& soname);

}  // namespace pinwheel::inspect
