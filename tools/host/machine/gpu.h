#pragma once
#include <string>
#include <vector>

#include "host/machine/env_machine.h"

namespace pinwheel::host {

/// The GPUs and GPU driver of this machine.
struct Gpus {
  std::vector<std::string> names = {};  ///< "NVIDIA H100 80GB HBM3"; "AMD GPU (/dev/kfd)"
  std::string driver = {};              ///< NVIDIA driver, "580.82.07"; empty without one
};

/// Never fails: anything that does not respond counts as missing. There may be an NVIDIA driver
/// without a GPU.
Gpus find_gpus(const EnvMachine& machine);

}  // namespace pinwheel::host
