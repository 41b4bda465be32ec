#pragma once
#include <string>
#include <vector>

#include "host/machine/env_machine.h"

namespace pinwheel::host {

/// The GPUs of this machine and what drives them.
struct Gpus {
  std::vector<std::string> names = {};  ///< "NVIDIA H100 80GB HBM3"; "AMD GPU (/dev/kfd)"
  std::string driver = {};              ///< NVIDIA's, "580.82.07"; empty without one
};

/// Never fails: what does not answer is not there. NVIDIA's driver may be there without a GPU.
Gpus find_gpus(const EnvMachine& machine);

}  // namespace pinwheel::host
