#pragma once
#include <string>
#include <string_view>
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

/// Whether the hardware for the tests of a compute is available: the device file if one is named,
/// else a GPU that runs the compute's code, which is NVIDIA's for CUDA, AMD's for ROCm and Intel's
/// for XPU; for other computes any of them.
bool has_hardware(const EnvMachine& machine, std::string_view compute,
                  const std::string& device = {});

}  // namespace pinwheel::host
