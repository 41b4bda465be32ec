#pragma once
#include <string>

namespace pinwheel::plan {

/// The programs of plan/device_code.h, for `sh`: a launcher of nvcc, nvcc for PYTORCH_NVCC, which
/// is one word, and what runs in place of cicc and ptxas.
std::string device_launcher_script();
std::string device_nvcc_script();
std::string device_tool_script();

}  // namespace pinwheel::plan
