#pragma once
#include <span>
#include <string_view>

namespace pinwheel::inspect {

/// A GPU product and its architecture: "9.0" is a compute capability, "gfx942" an AMD target.
struct GpuProduct {
  std::string_view name;
  std::string_view architecture;
};

/// The products in reports, NVIDIA's first, older ones first.
std::span<const GpuProduct> gpu_products();

}  // namespace pinwheel::inspect
