#pragma once
#include <optional>
#include <string>
#include <vector>

#include "inspect/gpu_stack.h"
#include "inspect/wheel_facts.h"

namespace pinwheel::inspect {

/// NVIDIA's Linux driver that a CUDA release came with, "550" of 12.4; nullopt for unknown ones.
std::optional<int> driver_branch(const GpuRelease& cuda);
/// The CUDA release whose driver is the first to compile that PTX: 12.8 of PTX 8.7.
GpuRelease release_of_ptx(binary::PtxVersion ptx);

/// A reason why a driver must not be older.
struct DriverNeed {
  GpuRelease cuda;
  std::string reason;  ///< "its runtime library", "zstd-compressed device code"
};

/// What the drivers of a wheel's CUDA code must at least be.
struct DriverNeeds {
  std::vector<DriverNeed> load = {};             ///< to load it at all; empty for no CUDA
  std::optional<DriverNeed> ptx = std::nullopt;  ///< to compile its PTX as well
};
DriverNeeds driver_needs(const WheelFacts& facts);

/// The newest of `load`; nullopt when there is none.
std::optional<DriverNeed> oldest_driver(const DriverNeeds& needs);
/// "550 (CUDA 12.4)".
std::string driver_text(const GpuRelease& cuda);

}  // namespace pinwheel::inspect
