#include "inspect/requirements.h"

namespace pinwheel::inspect {

std::vector<std::string> torch_requirements(const WheelFacts& facts) {
  std::vector<std::string> out;
  if (!facts.metadata) return out;
  for (const std::string& line : facts.metadata->requires_dist()) {
    if (wheel::requirement_project(line) == "torch") out.push_back(line);
  }
  return out;
}

}  // namespace pinwheel::inspect
