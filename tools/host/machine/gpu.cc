#include "host/machine/gpu.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string_view>

#include "base/text.h"
#include "host/machine/env_machine.h"
#include "matrix/axis_value.h"

namespace pinwheel::host {
namespace {

constexpr const char* kAmdDevice = "/dev/kfd";

void ask_nvidia(const EnvMachine& machine, Gpus& found) {
  const std::optional<std::string> output = ask_program(
      machine, {"nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"});
  if (!output) return;
  for (const std::string& line : split(*output, '\n')) {
    const size_t comma = line.rfind(',');
    if (comma == std::string::npos) continue;
    found.names.push_back(line.substr(0, comma));
    found.driver = std::string(trim(std::string_view(line).substr(comma + 1)));
  }
}

/// "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug ..."
std::string loaded_driver(ports::Files& files) {
  const Result<std::string> text = files.read("/proc/driver/nvidia/version");
  const size_t at = text ? text->find("Kernel Module") : std::string::npos;
  if (at == std::string::npos) return {};
  const std::string_view rest = trim(std::string_view(*text).substr(at + 13));
  return std::string(rest.substr(0, rest.find(' ')));
}

bool has_file(ports::Files& files, const std::filesystem::path& path) {
  const Result<ports::FileStatus> status = files.status(path);
  return status && status->type != ports::FileType::missing;
}

/// One of the kernel's render nodes belongs to Intel, whose PCI vendor is 8086.
bool has_intel_gpu(ports::Files& files) {
  const std::filesystem::path directory = "/sys/class/drm";
  const Result<std::vector<std::string>> names = files.list(directory);
  if (!names) return false;
  return std::ranges::any_of(*names, [&](const std::string& name) {
    if (!name.starts_with("renderD")) return false;
    const Result<std::string> vendor = files.read(directory / name / "device" / "vendor");
    return vendor && trim(*vendor) == "0x8086";
  });
}

}  // namespace

Gpus find_gpus(const EnvMachine& machine) {
  Gpus found;
  ask_nvidia(machine, found);
  if (found.driver.empty()) found.driver = loaded_driver(machine.files);
  if (has_file(machine.files, kAmdDevice)) found.names.emplace_back("AMD GPU (/dev/kfd)");
  return found;
}

bool has_hardware(const EnvMachine& machine, std::string_view compute, const std::string& device) {
  if (!device.empty()) return has_file(machine.files, device);
  const std::string family = matrix::split_compute(compute).family;
  if (family == "rocm") return has_file(machine.files, kAmdDevice);
  if (family == "xpu") return has_intel_gpu(machine.files);
  Gpus nvidia;
  ask_nvidia(machine, nvidia);
  if (family == "cuda" || !nvidia.names.empty()) return !nvidia.names.empty();
  return has_file(machine.files, kAmdDevice) || has_intel_gpu(machine.files);
}

}  // namespace pinwheel::host
