#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pinwheel::container {

/// The executor of step commands: this machine itself, or containers of an engine on it. This is
/// the only list of executors. `--engine`, `doctor` and frozen plans use these names; every
/// difference between executors is a switch without a default.
enum class Engine { host, docker, podman };

/// All of them, in display order.
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

/// The facts that an engine reports about itself.
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

/// The queries for the client of a container engine, and the advice if it does not respond.
struct EngineClient {
  std::string_view program;         ///< its name on PATH
  std::string_view package;         ///< of Debian, which installs it
  std::string_view version_format;  ///< for `version --format`, which fails without the engine
  std::string_view info_format;     ///< for `info --format`
  std::optional<EngineInfo> (*parse_info)(std::string_view json);
  std::string_view start;       ///< the command that starts the engine, or reports the fault
  std::string_view start_hint;  ///< the same as a hint
  /// The first major version that needs a separately installed plugin to build images; 0: none
  /// does.
  int plugin_since = 0;
  std::string_view gpu_hook = {};  ///< a program that exposes GPUs to containers without a separate
                                   ///< runtime
};

/// nullopt for a value that is not a container engine.
std::optional<EngineClient> client_of(Engine engine);

}  // namespace pinwheel::container
