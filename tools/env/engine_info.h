#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pinwheel::env {

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

}  // namespace pinwheel::env
