#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pinwheel::container {

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

/// What an engine reports about itself.
struct EngineInfo {
  std::string version;                     ///< of the server
  std::string storage = {};                ///< the directory of its images
  std::string cgroups = {};                ///< "1" or "2"
  std::vector<std::string> runtimes = {};  ///< "runc", "nvidia"

  bool operator==(const EngineInfo&) const = default;
};

/// Parses `docker info --format '{{json .}}'`; nullopt if no server responded. Source: the engine
/// API's SystemInfo.
std::optional<EngineInfo> parse_docker_info(std::string_view json);
/// Parses `podman info --format json`.
std::optional<EngineInfo> parse_podman_info(std::string_view json);

/// How the kernel runs programs of another architecture.
struct Binfmt {
  std::string interpreter;
  std::string flags = {};  ///< with "F" the interpreter is found in containers too

  bool operator==(const Binfmt&) const = default;
};

/// Parses a file of /proc/sys/fs/binfmt_misc; nullopt if the entry is disabled.
std::optional<Binfmt> parse_binfmt(std::string_view text);

/// How the client of a container engine is asked, and what helps when it does not answer.
struct EngineClient {
  std::string_view program;         ///< its name on PATH
  std::string_view package;         ///< of Debian, which installs it
  std::string_view version_format;  ///< for `version --format`, which fails without the engine
  std::string_view info_format;     ///< for `info --format`
  std::optional<EngineInfo> (*parse_info)(std::string_view json);
  std::string_view start;       ///< the command that starts the engine, or says what is wrong
  std::string_view start_hint;  ///< the same as a hint
  /// The first major version that builds images by a plugin installed apart; 0: none does.
  int plugin_since = 0;
  std::string_view gpu_hook = {};  ///< a program that hands GPUs in without a runtime of its own
};

/// None for what is no container engine.
std::optional<EngineClient> client_of(Engine engine);

}  // namespace pinwheel::container
