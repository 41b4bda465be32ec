#include "inspect/gpu_product.h"

#include <array>

namespace pinwheel::inspect {
namespace {

constexpr std::array<GpuProduct, 44> kProducts = {{
    {"Tesla P100", "6.0"},
    {"GeForce GTX 1080 Ti", "6.1"},
    {"V100", "7.0"},
    {"T4", "7.5"},
    {"GeForce RTX 2080 Ti", "7.5"},
    {"A100", "8.0"},
    {"A30", "8.0"},
    {"A10", "8.6"},
    {"A40", "8.6"},
    {"RTX A6000", "8.6"},
    {"GeForce RTX 3090", "8.6"},
    {"L4", "8.9"},
    {"L40S", "8.9"},
    {"RTX 6000 Ada", "8.9"},
    {"GeForce RTX 4090", "8.9"},
    {"H100", "9.0"},
    {"H200", "9.0"},
    {"GH200", "9.0"},
    {"B200", "10.0"},
    {"GB200", "10.0"},
    {"B300", "10.3"},
    {"GB300", "10.3"},
    {"Jetson AGX Thor", "11.0"},
    {"RTX PRO 6000 Blackwell", "12.0"},
    {"GeForce RTX 5090", "12.0"},
    {"DGX Spark (GB10)", "12.1"},
    {"Radeon VII", "gfx906"},
    {"Instinct MI50", "gfx906"},
    {"Instinct MI100", "gfx908"},
    {"Instinct MI210", "gfx90a"},
    {"Instinct MI250X", "gfx90a"},
    {"Instinct MI300A", "gfx942"},
    {"Instinct MI300X", "gfx942"},
    {"Instinct MI325X", "gfx942"},
    {"Instinct MI355X", "gfx950"},
    {"Radeon RX 6900 XT", "gfx1030"},
    {"Radeon PRO W6800", "gfx1030"},
    {"Radeon RX 7900 XTX", "gfx1100"},
    {"Radeon PRO W7900", "gfx1100"},
    {"Radeon RX 7800 XT", "gfx1101"},
    {"Radeon RX 7600", "gfx1102"},
    {"Ryzen AI Max+ 395", "gfx1151"},
    {"Radeon RX 9060 XT", "gfx1200"},
    {"Radeon RX 9070 XT", "gfx1201"},
}};

}  // namespace

std::span<const GpuProduct> gpu_products() {
  return kProducts;
}

}  // namespace pinwheel::inspect
