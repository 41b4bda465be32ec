#pragma once
#include <string>

namespace pinwheel::plan {

/// The programs of plan/device_code.h, for `sh`: a launcher of nvcc; a program for PYTORCH_NVCC,
/// whose value is a single word; and the program that runs in place of cicc and ptxas.
std::string device_launcher_script();
std::string device_nvcc_script();
std::string device_tool_script();

}  // namespace pinwheel::plan
