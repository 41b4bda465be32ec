#include "env/engine_client.h"

namespace pinwheel::env {

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

}  // namespace pinwheel::env
