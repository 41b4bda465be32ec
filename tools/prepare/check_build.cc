#include "prepare/check_build.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "base/text.h"
#include "container/engine.h"
#include "host/system/program.h"
#include "matrix/build_requires.h"
#include "matrix/family.h"
#include "matrix/settings.h"
#include "matrix/shared_settings.h"
#include "pep/name.h"
#include "pep/requirement.h"
#include "prepare/build_facts.h"
#include "prepare/host.h"
#include "prepare/load.h"

namespace pinwheel::prepare {
namespace {

namespace fs = std::filesystem;

/// Whether a package installs at most one program, which has its own name: backends and libraries.
bool installs_no_other_program(const std::string& name) {
  constexpr std::array kKnown = {"build",
                                 "cffi",
                                 "cmake",
                                 "flit-core",
                                 "hatchling",
                                 "maturin",
                                 "meson-python",
                                 "nanobind",
                                 "ninja",
                                 "numpy",
                                 "packaging",
                                 "pdm-backend",
                                 "pip",
                                 "poetry-core",
                                 "pybind11",
                                 "setuptools",
                                 "setuptools-scm",
                                 "torch",
                                 "scikit-build-core",
                                 "wheel"};
  return std::ranges::find(kKnown, name) != kKnown.end();
}

/// Whether a package of the environment may install the program: one of the same name, or an
/// unknown one.
bool may_be_installed(const std::string& program, const matrix::EnvironmentSettings& environment) {
  for (const auto* const list : {&environment.tools, &environment.pip}) {
    for (const std::string& text : *list) {
      const Result<pep::Requirement> requirement = pep::parse_requirement(text);
      if (!requirement) return true;
      const std::string name = pep::normalize_name(requirement->name);
      if (name == pep::normalize_name(program) || !installs_no_other_program(name)) return true;
    }
  }
  return !environment.conda.packages.empty();
}

/// The script of the checkout that a command runs; empty for a program from elsewhere.
fs::path script_of(const std::string& program, const fs::path& directory) {
  const std::string place = directory.string();
  const std::string filled =
      replace_all(replace_all(program, "{package}", place), "{project}", place);
  const bool inside =
      filled.find('/') != std::string::npos && filled.find('{') == std::string::npos;
  const fs::path path = (directory / filled).lexically_normal();
  return inside && path.string().starts_with(place) ? path : fs::path();
}

Done check_command(const std::map<std::string, std::string>& variables, ports::Files& files,
                   const matrix::Settings& settings, const fs::path& directory,
                   const RunScope& scope, ports::Notices& notices) {
  const std::string& program = settings.build.command.front();
  const fs::path script = script_of(program, directory);
  if (!script.empty()) {
    TRY(const ports::FileStatus status, files.status(script));
    if (status.type != ports::FileType::missing) return {};
    return fail(ErrorKind::config,
                fmt::format("`build.command` runs {}, and {} does not exist", quoted(program),
                            quoted(fs::proximate(script).string())),
                "commands run at the top of `package.source`");
  }
  const bool elsewhere = program.find_first_of("/{") != std::string::npos ||
                         program.starts_with("python") || program.starts_with("pip");
  if (elsewhere || container::uses_containers(scope.levels.engine)) return {};
  if (host::find_program(program, variables) || may_be_installed(program, settings.environment)) {
    return {};
  }
  notices.warn(
      Error{ErrorKind::environment, fmt::format("`build.command` runs {}, which is not on PATH, "
                                                "and no package of the environment provides it",
                                                quoted(program))}
          .with_hint(fmt::format("install {}, or add the package that has it to "
                                 "`environment.tools`",
                                 quoted(program))));
  return {};
}

}  // namespace

Done check_build_requires(const matrix::Matrix& matrix,
                          const std::vector<const matrix::Variant*>& built,
                          ports::Notices& notices) {
  std::set<std::string> reported;
  matrix::SharedSettings shared(matrix);
  std::set<std::pair<std::string, std::shared_ptr<const matrix::EnvironmentSettings>>> checked;
  for (const matrix::Variant* const variant : built) {
    TRY(const auto environment, shared.own_environment_of(*variant));
    const std::string& package = matrix::package_of(matrix, *variant).name;
    if (!checked.emplace(package, environment).second) continue;
    const matrix::EnvironmentSettings& own = *environment;
    if (own.build_requires == matrix::BuildRequires::none) continue;
    const auto known = matrix.build_requires.find(package);
    if (known == matrix.build_requires.end()) continue;
    const std::vector<std::string>& needed = known->second;
    if (matrix::lacks_torch(own, needed)) {
      return fail(ErrorKind::config,
                  fmt::format("the project requires torch to build, but {} has no torch",
                              quoted(matrix.file)),
                  "add an axis `torch`, and `environment: {torch: {spec: \"torch~={torch}.0\"}}`");
    }
    for (std::string& each : matrix::contradictions(own, needed)) {
      if (reported.insert(each).second) notices.warn(Error{ErrorKind::config, std::move(each)});
    }
  }
  return {};
}

Done check_builds(const Host& host, const RunScope& scope, ports::Notices& notices) {
  matrix::Matrix matrix = scope.loaded.matrix;
  if (!matrix.package.requirement.empty()) return {};
  std::map<std::string, fs::path> directories;
  for (const matrix::Package* const package : matrix::packages_of(scope.loaded.matrix)) {
    TRY(directories[package->name], package_directory(host, scope.loaded.matrix, *package));
    TRY(SourceRequires source, source_requires(host.files, directories.at(package->name)));
    matrix.build_requires[package->name] = std::move(source.texts);
  }
  TRY(const std::vector<const matrix::Variant*> built, built_variants(scope.loaded, scope.outline));
  TRY_DONE(check_build_requires(matrix, built, notices));
  matrix::SharedSettings shared(matrix);
  std::set<std::pair<std::string, std::string>> checked;
  for (const matrix::Variant* const variant : built) {
    TRY(const auto settings, shared.of(*variant));
    const std::string& package = matrix::package_of(matrix, *variant).name;
    if (!checked.emplace(package, settings->build.command.front()).second) continue;
    TRY_DONE(check_command(host.variables, host.files, *settings, directories.at(package), scope,
                           notices));
  }
  return {};
}

}  // namespace pinwheel::prepare
