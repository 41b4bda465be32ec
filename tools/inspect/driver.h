#pragma once
#include <optional>
#include <string>
#include <vector>

#include "inspect/gpu_stack.h"
#include "inspect/wheel_facts.h"

namespace pinwheel::inspect {

/// The branch of NVIDIA's Linux driver released with a CUDA release, 550 for 12.4; nullopt when
/// unknown.
std::optional<int> driver_branch(const GpuRelease& cuda);
/// The first CUDA release whose driver compiles that PTX version: 12.8 for PTX 8.7.
GpuRelease release_of_ptx(binary::PtxVersion ptx);

/// A minimum driver version and the reason for it.
struct DriverNeed {
  GpuRelease cuda;
  std::string reason;  ///< "its runtime library", "zstd-compressed device code"
};

/// The minimum drivers for a wheel's CUDA code.
struct DriverNeeds {
  std::vector<DriverNeed> load = {};             ///< to load it at all; empty without CUDA
  std::optional<DriverNeed> ptx = std::nullopt;  ///< to also compile its PTX
};
DriverNeeds driver_needs(const WheelFacts& facts);

/// The newest of `load`; nullopt when there is none.
std::optional<DriverNeed> oldest_driver(const DriverNeeds& needs);
/// "550 (CUDA 12.4)".
std::string driver_text(const GpuRelease& cuda);

}  // namespace pinwheel::inspect
