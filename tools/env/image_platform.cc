#include "env/image_platform.h"

namespace pinwheel::env {

std::string image_architecture(std::string_view machine) {
  if (machine == "x86_64") return "amd64";
  if (machine == "aarch64") return "arm64";
  return std::string(machine);
}

std::string foreign_platform(std::string_view architecture, std::string_view machine) {
  if (architecture.empty() || architecture == image_architecture(machine)) return {};
  return "linux/" + std::string(architecture);
}

}  // namespace pinwheel::env
