#include "prepare/check_abi.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "init/abi_conflict.h"
#include "matrix/axis_value.h"
#include "matrix/family.h"
#include "matrix/settings.h"
#include "matrix/shared_settings.h"
#include "prepare/check_version.h"
#include "prepare/host.h"
#include "prepare/init_facts.h"
#include "prepare/load.h"

namespace pinwheel::prepare {
namespace {

namespace fs = std::filesystem;

/// The value of `abi.python`, as written in a matrix.
std::string promise_of(const matrix::Abi& abi) {
  switch (abi.python) {
    case matrix::PythonAbi::none:
      return "none";
    case matrix::PythonAbi::version:
      return "version";
    case matrix::PythonAbi::limited:
      break;
  }
  return "limited(" + abi.python_limited + ")" + (abi.python_else_version ? " else version" : "");
}

/// The Pythons of the supported variants, ascending.
std::vector<std::string> pythons_of(const Loaded& loaded) {
  std::set<std::string> all;
  for (const matrix::Variant& variant : loaded.expansion.variants) {
    if (!variant.get("python").empty()) all.insert(variant.get("python"));
  }
  std::vector<std::string> pythons(all.begin(), all.end());
  std::ranges::sort(pythons, [](const std::string& a, const std::string& b) {
    return matrix::compare_versions(a, b) < 0;
  });
  return pythons;
}

/// Whether a command passes more to the backend than the project's files state, or runs something
/// else.
bool may_decide_otherwise(const std::vector<std::string>& argv) {
  const bool config = std::ranges::any_of(argv, [](const std::string& argument) {
    return argument.starts_with("-C") || argument.starts_with("--config-setting") ||
           argument.find("wheel.") != std::string::npos;
  });
  return config || runs_own_program(argv);
}

using SettingsOfBuild = std::shared_ptr<const matrix::Settings>;

/// The settings of the first of some builds; none if a command may make any wheel.
Result<SettingsOfBuild> plain_build(const Loaded& loaded,
                                    const std::vector<const matrix::Variant*>& built) {
  matrix::SharedSettings shared(loaded.matrix);
  SettingsOfBuild first;
  SettingsOfBuild last;
  for (const matrix::Variant* const variant : built) {
    TRY(const SettingsOfBuild settings, shared.of(*variant));
    if (settings == last) continue;
    last = settings;
    if (may_decide_otherwise(settings->build.command)) return SettingsOfBuild();
    if (!first) first = settings;
  }
  return first;
}

Done check_package_abi(const Host& host, const Loaded& loaded,
                       const std::vector<const matrix::Variant*>& built,
                       const matrix::Package& package, ports::Notices& notices) {
  if (!package.requirement.empty() || built.empty()) return {};
  TRY(const fs::path directory, package_directory(host, loaded.matrix, package));
  Result<init::ProjectFacts> facts = read_build_files(host, directory);
  // If the project cannot be read, the build reports a better error.
  if (!facts) return {};
  TRY(const SettingsOfBuild first, plain_build(loaded, built));
  if (!first) return {};
  // cibuildwheel's settings do not apply: these builds are the matrix's.
  facts->cibuildwheel = {};
  for (const auto& [name, value] : first->environment.variables) {
    facts->cibuildwheel.options["environment"].entries.emplace_back(name, value);
  }
  const matrix::Abi& abi = matrix::abi_of(loaded.matrix, *built.front());
  const std::optional<init::AbiConflict> conflict =
      init::abi_conflict(*facts, promise_of(abi), pythons_of(loaded));
  if (!conflict) return {};
  Error error = Error{ErrorKind::config, conflict->message}.with_hint(conflict->hint);
  if (conflict->certainty == init::Certainty::certain) return fail(std::move(error));
  notices.warn(error);
  return {};
}

}  // namespace

Done check_project_abi(const Host& host, const Loaded& loaded, const plan::Outline& outline,
                       ports::Notices& notices) {
  for (const matrix::Package* const package : matrix::packages_of(loaded.matrix)) {
    TRY(const auto built, built_variants(loaded, outline, *package));
    TRY_DONE(check_package_abi(host, loaded, built, *package, notices));
  }
  return {};
}

}  // namespace pinwheel::prepare
