#pragma once
#include <span>
#include <string_view>

namespace pinwheel::inspect {

/// A GPU as it is sold, and the architecture that code must be for: "9.0" is a compute capability,
/// "gfx942" a target of AMD's.
struct GpuProduct {
  std::string_view name;
  std::string_view architecture;
};

/// Products that wheels are used on, NVIDIA's first, older ones first.
std::span<const GpuProduct> gpu_products();

}  // namespace pinwheel::inspect
