#include "plan/environments.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/text.h"
#include "container/container_image.h"
#include "env/toolkit.h"
#include "matrix/axis_value.h"
#include "matrix/compute_name.h"
#include "matrix/shared_settings.h"
#include "matrix/variant.h"

namespace pinwheel::plan {
namespace {

/// The container of a variant; `config` if the matrix names none.
Result<matrix::ContainerSettings> container_of(const matrix::Matrix& matrix,
                                               const matrix::Variant& variant,
                                               const matrix::Settings& settings,
                                               const PlanOptions& options) {
  matrix::ContainerSettings container = settings.environment.container;
  container.arch = variant.get("arch");
  for (const auto& [pattern, image] : options.bases) {
    if (!matrix::matches_compute(pattern, variant)) continue;
    container.base = image;
    return container;
  }
  if (!container.base.empty()) {
    container.base = mirrored(container.base, settings.environment.mirrors, options);
    return container;
  }
  return fail(ErrorKind::config,
              fmt::format("{} names no container for {}", quoted(matrix.file), quoted(variant.id)),
              "set `environment.container.base`, or choose an image with `--base-image`");
}

/// The packages of a conda environment that provide its Python. If none is named, the variant's
/// Python is added.
std::vector<std::string> python_packages(const std::vector<std::string>& packages,
                                         const std::string& python) {
  std::vector<std::string> found;
  for (const std::string& package : packages) {
    const std::string name = package.substr(0, package.find_first_of(" =<>!~["));
    if (name == "python" || name.ends_with("::python")) found.push_back(package);
  }
  if (found.empty()) found.push_back("python=" + python);
  return found;
}

}  // namespace

const std::string& RequestDigests::of(const env::Request& request) {
  constexpr size_t kRemembered = 16;
  const auto known = std::ranges::find(
      recent_, request, [](const auto& one) -> const env::Request& { return one.first; });
  if (known != recent_.end()) return known->second;
  if (recent_.size() == kRemembered) recent_.pop_back();
  return recent_.emplace_front(request, env::digest(request)).second;
}

Result<env::Request> base_request(const matrix::Matrix& matrix, const matrix::Variant& variant,
                                  const matrix::Settings& settings, const PlanOptions& options) {
  env::Request request;
  if (container::uses_containers(options.engine)) {
    TRY(request.container, container_of(matrix, variant, settings, options));
  }
  if (options.python == env::PythonSource::conda) {
    request.conda = settings.environment.conda;
    request.conda.toolkit.clear();
    if (request.conda.packages.empty()) {
      return fail(
          ErrorKind::config,
          fmt::format("{} names no conda packages for {}", quoted(matrix.file), quoted(variant.id)),
          "set `environment.conda`, or choose `--python venv`");
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

Result<env::Request> test_request(const matrix::Matrix& matrix, const matrix::Variant& variant,
                                  const matrix::Settings& settings, const PlanOptions& options) {
  TRY(env::Request request, base_request(matrix, variant, settings, options));
  if (settings.test.environment == matrix::TestEnvironment::build) return request;
  request.requirements.clear();
  if (!request.conda.packages.empty()) {
    request.conda.packages = python_packages(request.conda.packages, request.python);
    request.conda_cuda.clear();
  }
  request.purpose = env::Purpose::test;
  return request;
}

Result<env::Request> install_request(const matrix::Matrix& matrix, const matrix::Variant& variant,
                                     const matrix::Settings& settings, const PlanOptions& options) {
  matrix::Settings clean = settings;
  clean.test.environment = matrix::TestSettings().environment;
  return test_request(matrix, variant, clean, options);
}

Result<std::optional<env::Request>> operators_request(const matrix::Matrix& matrix,
                                                      const matrix::Variant& variant,
                                                      const matrix::Settings& settings,
                                                      const PlanOptions& options) {
  const bool checked =
      std::any_of(settings.checks.after.begin(), settings.checks.after.end(),
                  [](const matrix::Check& check) { return check.rule == "operators"; });
  if (!checked) return std::nullopt;
  TRY(env::Request request, test_request(matrix, variant, settings, options));
  return request;
}

Result<env::Request> build_request(const matrix::Matrix& matrix, const matrix::Variant& variant,
                                   const matrix::Settings& settings, const PlanOptions& options) {
  TRY(env::Request request, base_request(matrix, variant, settings, options));
  const std::string& compute = variant.get("compute");
  if (!env::has_toolkit(compute)) return request;
  request.toolkit = compute;
  request.toolkit_from = settings.environment.toolkit;
  request.toolkit_packages = settings.environment.toolkit_packages;
  if (request.toolkit_from == matrix::ToolkitFrom::conda) {
    const matrix::CondaSettings& conda = settings.environment.conda;
    request.toolkit_conda = {conda.channels, conda.toolkit};
  }
  const bool contained = container::uses_containers(options.engine);
  if (request.toolkit_from == matrix::ToolkitFrom::container && !contained) {
    return fail(ErrorKind::config,
                fmt::format("{} uses the toolkit of {} from its container, but there is none",
                            quoted(matrix.file), quoted(variant.id)),
                "choose `--engine docker`, or another `environment.toolkit`");
  }
  return request;
}

Result<std::vector<BuildRequest>> build_requests(const matrix::Matrix& matrix,
                                                 const matrix::Expansion& expansion,
                                                 const Outline& outline,
                                                 const PlanOptions& options) {
  const matrix::VariantIndex variants(expansion.variants);
  matrix::SharedSettings shared(matrix);
  std::vector<BuildRequest> requests;
  requests.reserve(outline.builds.size());
  for (const BuildGroup& group : outline.builds) {
    TRY(const matrix::ConfiguredVariant built,
        matrix::configured(variants, shared, group.cls.representative));
    TRY(env::Request request, build_request(matrix, built.variant, *built.settings, options));
    requests.push_back({group.cls.id, std::move(request)});
  }
  return requests;
}

std::string mirrored(const std::string& image,
                     const std::vector<std::pair<std::string, std::string>>& mirrors,
                     const PlanOptions& options) {
  for (const auto* const pairs : {&options.bases, &mirrors}) {
    for (const auto& [pattern, other] : *pairs) {
      // `*` is the pattern for the bases of all builds.
      if (pattern != "*" && glob_match(pattern, image)) return other;
    }
  }
  return image;
}

std::string image_key(const PlanFacts& facts, const env::Request& request) {
  if (request.container.base.empty()) return {};
  const auto found = facts.images.find(container::digest(request.container));
  return found == facts.images.end() ? std::string() : found->second;
}

store::InstalledPackages environment_packages(const env::Resolution& resolution) {
  store::InstalledPackages out;
  if (!resolution.python.empty()) out["python"] = {resolution.python};
  for (const env::PipPackage& package : resolution.packages) {
    out[package.name] = {package.version, package.sha256};
  }
  for (const env::PipPackage& package : resolution.absent) {
    out["absent:" + package.name] = {package.version};
  }
  for (const env::CondaPackage& package : resolution.conda) {
    out["conda:" + package.name] = {package.version + " " + package.build, package.sha256};
  }
  // A record with such a package could not be parsed.
  std::erase_if(out, [](const auto& one) { return one.second.version.empty(); });
  return out;
}

std::string to_text(const PackageDifference& difference) {
  const auto& [name, then, now] = difference;
  if (!then) return fmt::format("{} {} is new", name, now->version);
  if (!now) return fmt::format("{} {} is gone", name, then->version);
  if (then->version == now->version) return fmt::format("{} {}: another file", name, now->version);
  return fmt::format("{}: {} -> {}", name, then->version, now->version);
}

}  // namespace pinwheel::plan
