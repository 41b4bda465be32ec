#pragma once
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "env/container_image.h"
#include "host/machine/container_engine.h"
#include "host/machine/env_machine.h"

namespace pinwheel::host {

/// What making images takes: the host's machine, the engine, where Dockerfiles and logs are.
struct ImageBench {
  const EnvMachine& machine;
  const ContainerEngine& engine;
  std::filesystem::path matrix_directory;
  std::filesystem::path logs;
  std::function<void(std::string_view)> note;  ///< told before something takes long
};

/// The image of the settings where it and its base are on this machine; makes and pulls nothing.
Result<std::optional<env::ContainerImage>> find_image(const ImageBench& bench,
                                                      const matrix::ContainerSettings& settings);

/// The image of the settings: the one that bears their content key, else built by BuildKit from the
/// Dockerfile, whose directory is the context, with the base as BASE_IMAGE. A base that is not on
/// this machine is pulled, once, within half an hour. Tags are set anew. The result says what its
/// base is. Errors: `environment` for a base that cannot be had or a missing Dockerfile (names it),
/// `step` for a Dockerfile that fails, with the end of its log.
Result<env::ContainerImage> ensure_image(const ImageBench& bench,
                                         const matrix::ContainerSettings& settings,
                                         const std::vector<std::string>& tags);

}  // namespace pinwheel::host
