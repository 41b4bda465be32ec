#include "env/engine_info.h"

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/text.h"

namespace pinwheel::env {
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
  // The client prints its own part and exits 0 even if the server does not respond.
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

}  // namespace pinwheel::env
