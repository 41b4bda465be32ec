#pragma once
#include <array>
#include <optional>
#include <string_view>

namespace pinwheel::env {

/// What carries out the commands of steps: this machine itself, or containers of an engine on it.
/// This is the only list of executors. `--engine`, `doctor` and frozen plans use these names;
/// whatever differs from one executor to another is a switch without a default.
enum class Engine { host, docker, podman };

/// All of them, in the order in which people are told of them.
inline constexpr std::array kEngines = {Engine::host, Engine::docker, Engine::podman};

constexpr std::string_view to_string(Engine engine) {
  switch (engine) {
    case Engine::host:
      return "host";
    case Engine::docker:
      return "docker";
    case Engine::podman:
      return "podman";
  }
  return {};
}
static_assert(to_string(Engine{kEngines.size()}).empty(), "kEngines lacks an engine");

std::optional<Engine> parse_engine(std::string_view name);

/// Whether the engine runs commands in containers, on images that the matrix names.
bool uses_containers(Engine engine);

}  // namespace pinwheel::env
