#include "cli/levels.h"

#include <fmt/format.h>

namespace pinwheel::cli {

env::Engine engine_of(const LevelOptions& levels) {
  switch (levels.engine) {
    case EngineChoice::host:
      return env::Engine::host;
    case EngineChoice::docker:
      return env::Engine::docker;
    case EngineChoice::podman:
      return env::Engine::podman;
  }
  return env::Engine::host;
}

Result<plan::PlanOptions> plan_options(plan::Stage stage, const std::vector<std::string>& targets,
                                       const LevelOptions& levels) {
  plan::PlanOptions options{stage, targets};
  const bool contained = levels.engine != EngineChoice::host;
  if (contained) options.level1 = plan::Level1::container;
  const bool conda =
      levels.python == PythonChoice::automatic ? contained : levels.python == PythonChoice::conda;
  if (conda) options.level2 = plan::Level2::conda;
  for (const std::string& text : levels.base_images) {
    const size_t equals = text.find('=');
    const std::string image = equals == std::string::npos ? text : text.substr(equals + 1);
    if (image.empty()) {
      return fail(ErrorKind::usage, fmt::format("`--base-image {}` names no image", text),
                  "write `--base-image debian:bookworm`, `--base-image 'cuda/*=IMAGE'` or "
                  "`--base-image @aarch64=IMAGE`");
    }
    options.bases.emplace_back(equals == std::string::npos ? "*" : text.substr(0, equals), image);
  }
  if (!options.bases.empty() && !contained) {
    return fail(ErrorKind::usage, "`--base-image` needs a container engine",
                "add `--engine docker` or `--engine podman`");
  }
  return options;
}

}  // namespace pinwheel::cli
