#include "env/engine.h"

#include <algorithm>

namespace pinwheel::env {

std::optional<Engine> parse_engine(std::string_view name) {
  const auto* const found = std::find_if(kEngines.begin(), kEngines.end(),
                                         [&](Engine engine) { return to_string(engine) == name; });
  return found == kEngines.end() ? std::nullopt : std::optional(*found);
}

bool uses_containers(Engine engine) {
  switch (engine) {
    case Engine::host:
      return false;
    case Engine::docker:
    case Engine::podman:
      return true;
  }
  return false;
}

}  // namespace pinwheel::env
