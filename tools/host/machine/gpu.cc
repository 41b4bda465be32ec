#include "host/machine/gpu.h"

#include <optional>
#include <string_view>

#include "base/text.h"
#include "host/machine/ask_program.h"

namespace pinwheel::host {
namespace {

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

}  // namespace

Gpus find_gpus(const EnvMachine& machine) {
  Gpus found;
  ask_nvidia(machine, found);
  if (found.driver.empty()) found.driver = loaded_driver(machine.files);
  const Result<ports::FileStatus> amd = machine.files.status("/dev/kfd");
  if (amd && amd->type != ports::FileType::missing) found.names.emplace_back("AMD GPU (/dev/kfd)");
  return found;
}

}  // namespace pinwheel::host
