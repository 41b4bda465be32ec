#pragma once
#include <optional>
#include <set>
#include <string>

#include "inspect/wheel_facts.h"

namespace pinwheel::repair {

/// The distribution that provides a library of a GPU toolkit, and the directory of the library.
struct GpuRequirement {
  std::string requirement;  ///< "nvidia-cuda-runtime-cu12", "nvidia-cublas>=13,<14"
  std::string directory;    ///< relative to site-packages: "nvidia/cuda_runtime/lib"

  bool operator==(const GpuRequirement&) const = default;
};

/// The CUDA major version that a wheel is for: from the names in `needed`, else from its local
/// version or its requirements; nullopt if none of these has it.
std::optional<int> cuda_major(const inspect::WheelFacts& wheel,
                              const std::set<std::string>& needed);

/// nullopt for a library that no distribution on PyPI provides (ROCm's), and for one whose CUDA is
/// unknown. The packages of CUDA 13 and later have no suffix and share `nvidia/cu13/lib`, except
/// those with their own releases (cuDNN, NCCL, cuSPARSELt, NVSHMEM).
std::optional<GpuRequirement> gpu_requirement(const std::string& soname, std::optional<int> cuda);

}  // namespace pinwheel::repair
