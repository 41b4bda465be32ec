#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pinwheel::env {

/// What an engine says of itself.
struct EngineInfo {
  std::string version;                     ///< of the server
  std::string storage = {};                ///< the directory of its images
  std::string cgroups = {};                ///< "1" or "2"
  std::vector<std::string> runtimes = {};  ///< "runc", "nvidia"

  bool operator==(const EngineInfo&) const = default;
};

/// Reads `docker info --format '{{json .}}'`; nothing when no server answered. Source: the engine
/// API's SystemInfo.
std::optional<EngineInfo> parse_docker_info(std::string_view json);
/// Reads `podman info --format json`.
std::optional<EngineInfo> parse_podman_info(std::string_view json);

/// How the kernel runs programs of another processor.
struct Binfmt {
  std::string interpreter;
  std::string flags = {};  ///< with "F" the interpreter is found in containers too

  bool operator==(const Binfmt&) const = default;
};

/// Reads a file of /proc/sys/fs/binfmt_misc; nothing when it is disabled.
std::optional<Binfmt> parse_binfmt(std::string_view text);

}  // namespace pinwheel::env
