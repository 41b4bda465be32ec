#include "container/engine.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/text.h"

namespace pinwheel::container {

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

namespace {

using Json = nlohmann::json;

/// The string at a key; empty if it is missing or not a string.
std::string text_at(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace

std::optional<EngineInfo> parse_docker_info(std::string_view json) {
  const Json info = read_json(json);
  if (!info.is_object()) return std::nullopt;
  EngineInfo out{.version = text_at(info, "ServerVersion")};
  // The client prints its own part and exits with 0 even if the server does not respond.
  if (out.version.empty()) return std::nullopt;
  out.storage = text_at(info, "DockerRootDir");
  out.cgroups = text_at(info, "CgroupVersion");
  if (const auto runtimes = info.find("Runtimes");
      runtimes != info.end() && runtimes->is_object()) {
    for (const auto& [name, ignored] : runtimes->items()) out.runtimes.push_back(name);
  }
  return out;
}

std::optional<EngineInfo> parse_podman_info(std::string_view json) {
  const Json info = read_json(json);
  const bool known = info.is_object() && info.value("host", Json()).is_object() &&
                     info.value("store", Json()).is_object() &&
                     info.value("version", Json()).is_object();
  if (!known) return std::nullopt;
  EngineInfo out{.version = text_at(info["version"], "Version")};
  out.storage = text_at(info["store"], "graphRoot");
  out.cgroups = replace_all(text_at(info["host"], "cgroupVersion"), "v", "");
  const Json runtime = info["host"].value("ociRuntime", Json::object());
  if (runtime.is_object()) out.runtimes.push_back(text_at(runtime, "name"));
  return out;
}

std::optional<Binfmt> parse_binfmt(std::string_view text) {
  Binfmt out;
  bool enabled = false;
  for (const std::string& line : split(text, '\n')) {
    if (line == "enabled") enabled = true;
    if (line.starts_with("interpreter ")) out.interpreter = line.substr(12);
    if (line.starts_with("flags: ")) out.flags = line.substr(7);
  }
  if (!enabled || out.interpreter.empty()) return std::nullopt;
  return out;
}

std::optional<EngineClient> client_of(Engine engine) {
  switch (engine) {
    case Engine::host:
      return std::nullopt;
    case Engine::docker:
      return EngineClient{.program = "docker",
                          .package = "docker.io",
                          .version_format = "{{.Server.Version}}",
                          .info_format = "{{json .}}",
                          .parse_info = parse_docker_info,
                          .start = "systemctl start docker",
                          .start_hint =
                              "start the daemon (`systemctl start docker`), or name its "
                              "socket in `DOCKER_HOST`",
                          .plugin_since = 23,
                          .gpu_hook = "nvidia-container-runtime-hook"};
    case Engine::podman:
      return EngineClient{.program = "podman",
                          .package = "podman",
                          .version_format = "{{.Client.Version}}",
                          .info_format = "json",
                          .parse_info = parse_podman_info,
                          .start = "podman info",
                          .start_hint = "`podman info` shows what is wrong"};
  }
  return std::nullopt;
}

}  // namespace pinwheel::container
