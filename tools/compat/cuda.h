#pragma once
#include <string>
#include <vector>

#include "inspect/wheel_facts.h"

namespace pinwheel::compat {

/// A wheel's requirements on CUDA, besides torch.
struct CudaNeeds {
  /// Major versions of the external runtimes that its libraries need, ascending; bundled copies of
  /// the runtime count too, because they need the same driver.
  std::vector<int> runtimes = {};
  bool device_code = false;
  /// The oldest driver branch that runs programs of the newest of these runtimes (minor version
  /// compatibility): "525"; empty without a runtime.
  std::string minimum_driver = {};
};

CudaNeeds cuda_needs(const inspect::WheelFacts& facts);

}  // namespace pinwheel::compat
