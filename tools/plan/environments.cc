#include "plan/environments.h"

#include <fmt/format.h>

#include <set>

#include "base/text.h"
#include "matrix/axis_value.h"

namespace pinwheel::plan {
namespace {

/// The container of a variant; `config` when the matrix names none.
Result<matrix::ContainerSettings> container_of(const matrix::Matrix& matrix,
                                               const matrix::Variant& variant,
                                               const matrix::Settings& settings,
                                               const PlanOptions& options) {
  matrix::ContainerSettings container = settings.environment.container;
  for (const auto& [pattern, image] : options.bases) {
    if (!glob_match(pattern, variant.get("compute"))) continue;
    container.base = image;
    break;
  }
  if (!container.base.empty()) return container;
  return fail(ErrorKind::config,
              fmt::format("`{}` names no container for `{}`", matrix.file, variant.id),
              "write `environment.container.base`, or choose an image with `--base-image`");
}

}  // namespace

Result<env::Request> base_request(const matrix::Matrix& matrix, const matrix::Variant& variant,
                                  const matrix::Settings& settings, const PlanOptions& options) {
  env::Request request;
  if (options.level1 == Level1::container) {
    TRY(request.container, container_of(matrix, variant, settings, options));
  }
  if (options.level2 == Level2::conda) {
    request.conda = settings.environment.conda;
    if (request.conda.packages.empty()) {
      return fail(ErrorKind::config,
                  fmt::format("`{}` names no conda packages for `{}`", matrix.file, variant.id),
                  "write `environment.conda`, or choose `--python venv`");
    }
    const matrix::Compute compute = matrix::split_compute(variant.get("compute"));
    if (compute.family == "cuda") request.conda_cuda = compute.version;
  }
  request.python = variant.get("python");
  std::set<std::string> requirements(settings.environment.tools.begin(),
                                     settings.environment.tools.end());
  requirements.insert(settings.environment.pip.begin(), settings.environment.pip.end());
  request.requirements.assign(requirements.begin(), requirements.end());
  request.torch = settings.environment.torch;
  return request;
}

Result<env::Request> build_request(const matrix::Matrix& matrix, const matrix::Variant& variant,
                                   const matrix::Settings& settings, const PlanOptions& options) {
  TRY(env::Request request, base_request(matrix, variant, settings, options));
  const std::string& compute = variant.get("compute");
  if (compute.empty() || compute == "cpu") return request;
  request.toolkit = compute;
  request.toolkit_from = settings.environment.toolkit;
  return request;
}

}  // namespace pinwheel::plan
