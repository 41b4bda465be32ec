#pragma once
#include <string>
#include <vector>

#include "inspect/wheel_facts.h"

namespace pinwheel::compat {

/// What a wheel asks of CUDA beside torch.
struct CudaNeeds {
  /// Major versions of the runtime that its libraries need of others, ascending; own copies of the
  /// runtime count as well, for they ask the same of the driver.
  std::vector<int> runtimes = {};
  bool device_code = false;
  /// The oldest driver branch that runs programs of the newest of these runtimes (minor version
  /// compatibility): "525"; empty without a runtime.
  std::string minimum_driver = {};
};

CudaNeeds cuda_needs(const inspect::WheelFacts& facts);

}  // namespace pinwheel::compat
