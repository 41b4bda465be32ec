#pragma once
#include <string>

#include "inspect/wheel_facts.h"

namespace pinwheel::inspect {

/// Whether a distribution that the wheel requires outright (no extra) brings that library of
/// NVIDIA's: `nvidia-cuda-runtime-cu12` brings "libcudart.so.12" and not "libcudart.so.13". Where
/// the numbers of library and toolkit differ, the number is not judged.
bool is_required_library(const WheelFacts& facts, const std::string& soname);

/// Whether the display driver brings it: "libcuda.so.1".
bool is_driver_library(const std::string& soname);

}  // namespace pinwheel::inspect
