#pragma once
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "container/container_image.h"
#include "host/machine/container_engine.h"
#include "host/machine/env_machine.h"

namespace pinwheel::host {

/// The inputs of image builds: the host, the engine, the directories of Dockerfiles and logs.
struct ImageBench {
  const EnvMachine& machine;
  const ContainerEngine& engine;
  std::filesystem::path matrix_directory;
  std::filesystem::path logs;
  std::function<void(std::string_view)> note;  ///< called before a slow operation
};

/// The image for the settings if it and its base are available locally; builds and pulls nothing.
Result<std::optional<container::ContainerImage>> find_image(
    const ImageBench& bench, const matrix::ContainerSettings& settings);

/// The image for the settings: the one labeled with their content key, else built by BuildKit from
/// the Dockerfile, whose directory is the context, with the base as BASE_IMAGE. A base that is not
/// available locally is pulled, once, with a limit of half an hour. Tags are updated. The result
/// includes the base. Errors: `environment` for an unavailable base or a missing Dockerfile (names
/// it), `step` for a Dockerfile that fails, with the end of its log.
Result<container::ContainerImage> ensure_image(const ImageBench& bench,
                                               const matrix::ContainerSettings& settings,
                                               const std::vector<std::string>& tags);

}  // namespace pinwheel::host
