#include "prepare/run_scope.h"

#include <fmt/format.h>

#include "base/text.h"
#include "plan/promotion.h"

namespace pinwheel::prepare {

Result<plan::PlanOptions> plan_options(plan::Stage stage, const std::vector<std::string>& targets,
                                       const LevelOptions& levels) {
  plan::PlanOptions options{stage, targets};
  const bool contained = container::uses_containers(levels.engine);
  options.engine = levels.engine;
  options.python =
      levels.python.value_or(contained ? env::PythonSource::conda : env::PythonSource::venv);
  for (const std::string& text : levels.base_images) {
    const size_t equals = text.find('=');
    const std::string image = equals == std::string::npos ? text : text.substr(equals + 1);
    if (image.empty()) {
      return fail(ErrorKind::usage,
                  fmt::format("{} has no image", quoted(fmt::format("--base-image {}", text))),
                  "use `--base-image debian:bookworm`, `--base-image 'cuda/*=IMAGE'` or "
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

Result<plan::PlanOptions> options_up_to(plan::Stage stage, const RunScope& scope) {
  TRY(plan::PlanOptions options, plan_options(stage, scope.version.targets, scope.levels));
  options.through =
      plan::through_of(scope.loaded.matrix, scope.version.channel, scope.version.targets);
  return options;
}

Result<RunScope> up_to(plan::Stage stage, RunScope scope) {
  TRY(scope.options, options_up_to(stage, scope));
  return scope;
}

}  // namespace pinwheel::prepare
