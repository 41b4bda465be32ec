#include "prepare/frozen_run.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <unordered_set>
#include <utility>

#include "base/digest.h"
#include "base/limits.h"
#include "base/text.h"
#include "env/interpreter.h"
#include "env/patchelf.h"
#include "env/public_url.h"
#include "env/resolution.h"
#include "host/provision/env_resolve.h"
#include "host/provision/interpreters.h"
#include "matrix/family.h"
#include "matrix/status_name.h"
#include "matrix/variant.h"
#include "pep/version.h"
#include "prepare/host.h"
#include "prepare/load.h"
#include "prepare/package_version.h"
#include "prepare/version_facts.h"
#include "version/derive.h"

namespace pinwheel::prepare {
namespace {

namespace fs = std::filesystem;

Result<std::vector<std::string>> expected_files(const RunScope& scope) {
  const Loaded& loaded = scope.loaded;
  TRY(const plan::Namings namings, name_builds(loaded, scope.outline, scope.version));
  const matrix::VariantIndex variants(loaded.expansion.variants);
  std::vector<std::string> files;
  for (const plan::BuildGroup& group : scope.outline.builds) {
    TRY(const matrix::Variant* const variant, variants.find(group.cls.representative));
    const plan::WheelTags tags =
        plan::tags_of(matrix::abi_of(loaded.matrix, *variant), *variant, scope.version.machine);
    for (const wheel::Naming& naming : plan::each_file(namings.at(group.cls.id))) {
      files.push_back(plan::wheel_pattern(naming, tags));
    }
  }
  return files;
}

/// The matrix file's path, relative to the root of its repository if it is in one.
Result<std::string> matrix_of(ports::Files& files, const GatheredRun& run,
                              const Result<ports::GitFacts>& checkout) {
  const std::string& name = run.scope.loaded.matrix.file;
  if (!checkout) return name;
  TRY(const fs::path directory, files.without_links(run.workplace.matrix_directory));
  TRY(const fs::path root, files.without_links(checkout->root));
  return (directory / fs::path(name).filename()).lexically_relative(root).string();
}

Error disagree(const std::string& option, const std::string& frozen) {
  return {ErrorKind::usage,
          fmt::format("{} contradicts the plan, which was frozen with {}", quoted(option), frozen),
          std::nullopt, "omit it: the plan decides"};
}

/// The packages of a request of this matrix, as recorded here.
Result<env::Resolution> resolution_here(const host::EnvMachine& machine,
                                        const env::Request& request, env::Resolution resolution,
                                        OtherPython other, ports::Notices& notices) {
  // A frozen plan has the index without credentials; the matrix has them.
  if (!resolution.torch_index.empty()) resolution.torch_index = request.torch.index;
  const bool machines_python = request.container.base.empty() && request.conda.packages.empty();
  if (!machines_python || other == OtherPython::refuse) return resolution;
  TRY(const env::Interpreter interpreter, host::interpreter_for(machine, request.python));
  const std::string here = env::full_version(interpreter);
  if (here == resolution.python) return resolution;
  notices.warn({.kind = ErrorKind::environment,
                .message = fmt::format("the run had Python {}, but this machine has {}",
                                       resolution.python, here),
                .hint = "the packages are those of the run"});
  resolution.python = here;
  return resolution;
}

/// The decisions of a run of that matrix, whose path is relative to its repository.
Result<plan::FrozenPlan> decisions_of(const Host& host, const GatheredRun& run,
                                      std::string matrix) {
  const RunScope& scope = run.scope;
  plan::FrozenPlan frozen;
  frozen.matrix_digest = scope.loaded.digest();
  frozen.matrix = std::move(matrix);
  frozen.variables = run.facts.variables;
  frozen.channel = scope.version.channel;
  frozen.targets = scope.version.targets;
  for (const matrix::Variant& variant : scope.outline.variants) {
    frozen.variants.push_back(variant.id);
  }
  frozen.version = run.facts.version;
  frozen.source_date_epoch = run.facts.source_date_epoch;
  frozen.wheel_change = run.facts.wheel_change;
  for (const auto& [name, member] : run.facts.family) {
    frozen.family_changes[name] = member.wheel_change;
  }
  frozen.commit = run.facts.commit;
  frozen.tag = run.facts.tag;
  frozen.repository = run.facts.repository;
  frozen.source_digest = plan::source_digest(run.facts);
  frozen.machine = run.facts.machine;
  frozen.levels = {scope.levels.engine, scope.options.python, scope.options.bases};
  for (const auto& [settings, used] : run.images) {
    plan::FrozenImage& image = frozen.images[settings];
    image = {used.base, used.image.base_id, used.image.base_digests, used.image.key};
    const auto python = run.facts.image_pythons.find(settings);
    if (python == run.facts.image_pythons.end()) continue;
    image.python = env::full_version(python->second);
    image.implementation = python->second.implementation;
  }
  for (const auto& [variant, answer] : scope.loaded.matrix.backend_answers) {
    frozen.answers[answer.question] = answer.texts;
  }
  frozen.patchelf = env::kPatchelfVersion;
  TRY(frozen.files, expected_files(scope));
  const OpenMachine local = host.machine(run.workplace);
  for (const auto& [requested, digest] : run.facts.resolutions) {
    TRY(env::Resolution resolution, host::load_resolution(*local, requested));
    resolution.torch_index = env::without_credentials(resolution.torch_index);
    frozen.resolutions[requested] = env::to_json(resolution);
  }
  return frozen;
}

}  // namespace

Result<plan::FrozenPlan> freeze(const Host& host, const GatheredRun& run) {
  const auto checkout = host.git.facts(run.workplace.matrix_directory, ports::WorkTree::ignore);
  TRY(std::string matrix, matrix_of(host.files, run, checkout));
  TRY(plan::FrozenPlan frozen, decisions_of(host, run, std::move(matrix)));
  TRY_DONE(plan::check_names(frozen));
  return frozen;
}

Result<plan::RunOrigin> origin_of(const Host& host, const GatheredRun& run) {
  plan::RunOrigin origin;
  origin.pinwheel = kPinwheelVersion;
  const Result<ports::GitFacts> checkout = host.git.facts(run.workplace.matrix_directory);
  TRY(origin.matrix, matrix_of(host.files, run, checkout));
  if (checkout) {
    origin.commit = checkout->commit;
    origin.dirty = checkout->dirty;
  }
  origin.variables = run.facts.variables;
  origin.toolchain = run.facts.toolchain;
  TRY(origin.plan, decisions_of(host, run, origin.matrix));
  return origin;
}

Result<LevelOptions> frozen_levels(LevelOptions requested, const plan::FrozenPlan& frozen) {
  const plan::FrozenLevels& levels = frozen.levels;
  if (container::uses_containers(levels.engine) != container::uses_containers(requested.engine)) {
    if (requested.engine != container::Engine::host) {
      return fail(
          disagree("--engine", quoted(fmt::format("--engine {}", to_string(levels.engine)))));
    }
    requested.engine = levels.engine;
  }
  if (requested.python.value_or(levels.python) != levels.python) {
    return fail(disagree("--python", quoted(fmt::format("--python {}", to_string(levels.python)))));
  }
  requested.python = levels.python;
  std::vector<std::string> bases;
  for (const auto& [compute, image] : levels.bases) {
    bases.push_back(compute == "*" ? image : fmt::format("{}={}", compute, image));
  }
  if (!requested.base_images.empty() && requested.base_images != bases) {
    return fail(
        disagree("--base-image", bases.empty() ? "the matrix's images" : quoted_list(bases)));
  }
  requested.base_images = std::move(bases);
  return requested;
}

VersionFacts frozen_version(VersionFacts here, const plan::FrozenPlan& frozen) {
  here.channel = frozen.channel;
  here.targets = frozen.targets;
  here.version = frozen.version;
  here.source_date_epoch = frozen.source_date_epoch;
  here.wheel_change = frozen.wheel_change;
  here.family_changes = frozen.family_changes;
  here.commit = frozen.commit;
  here.release_tag = frozen.tag;
  here.repository = frozen.repository;
  return here;
}

std::vector<Error> other_images(const UsedImages& images, const PinnedImages& pinned) {
  std::vector<Error> errors;
  for (const auto& [settings, used] : images) {
    const auto known = pinned.find(settings);
    if (known == pinned.end()) continue;
    Done same = plan::check_image(known->second, used.image.base_id, used.image.key);
    if (!same) errors.push_back(std::move(same).error());
  }
  return errors;
}

std::vector<Error> differences(const FromRun& run, const plan::PlanFacts& here) {
  const plan::RunOrigin& origin = run.origin;
  std::vector<Error> errors;
  if (origin.plan.source_digest != plan::source_digest(here)) {
    errors.push_back({ErrorKind::drift, origin.dirty
                                            ? "the run's checkout had uncommitted changes"
                                            : "the package source differs from that of the run"});
  }
  if (origin.plan.matrix_digest != run.matrix_digest) {
    errors.push_back({ErrorKind::drift, "the matrix file differs from that of the run"});
  }
  const bool hosts = origin.plan.levels.engine == container::Engine::host;
  if (hosts && origin.toolchain != here.toolchain) {
    errors.push_back({ErrorKind::environment,
                      fmt::format("the run's compiler was {}, but this machine's is {}",
                                  quoted(trim(origin.toolchain)), quoted(trim(here.toolchain)))});
  }
  return errors;
}

Result<FrozenPackages> frozen_packages(const plan::FrozenPlan& frozen, const RunView& run,
                                       OtherPython other, ports::Notices& notices) {
  const OpenMachine local = run.host.machine(run.workplace);
  TRY(const std::vector<env::Request> requests, environment_requests(run));
  std::map<std::string, env::Request> by_digest;
  for (const env::Request& request : requests) by_digest[env::digest(request)] = request;
  FrozenPackages packages;
  for (const auto& [digest, text] : frozen.resolutions) {
    TRY(env::Resolution resolution, env::parse_resolution(text));
    if (const auto request = by_digest.find(digest); request != by_digest.end()) {
      TRY(resolution,
          resolution_here(*local, request->second, std::move(resolution), other, notices));
    }
    packages.decided.insert(digest);
    packages.given[digest] = env::to_json(resolution);
  }
  return packages;
}

namespace {

using Ids = std::unordered_set<std::string_view>;

/// `drift` if a plan lacks one of its variants: without it, it would not be the same release.
Done check_has_all(const Loaded& loaded, const plan::FrozenPlan& frozen) {
  Ids known;
  for (const matrix::Variant& variant : loaded.expansion.variants) known.insert(variant.id);
  for (const std::string& id : frozen.variants) {
    if (known.contains(id)) continue;
    return fail(ErrorKind::drift,
                fmt::format("the plan has the variant {}, which {} lacks", quoted(id),
                            quoted(loaded.matrix.file)),
                "check out the commit of the plan, or freeze a new one");
  }
  return {};
}

std::vector<matrix::Variant> variants_of_plan(const std::vector<matrix::Variant>& selected,
                                              const plan::FrozenPlan& frozen) {
  const Ids ids(frozen.variants.begin(), frozen.variants.end());
  std::vector<matrix::Variant> remaining;
  for (const matrix::Variant& variant : selected) {
    if (ids.contains(variant.id)) remaining.push_back(variant);
  }
  return remaining;
}

}  // namespace

Result<plan::Outline> frozen_outline(const Loaded& loaded, const SelectionOptions& selection,
                                     const std::vector<std::string>& globs,
                                     const plan::FrozenPlan& frozen) {
  TRY_DONE(check_has_all(loaded, frozen));
  SelectionOptions wide = selection;
  if (wide.status.empty()) wide.status = matrix::status_names();
  // The shard applies to the plan, not to the matrix.
  wide.shard.clear();
  TRY(const plan::Outline selected, select_outline(loaded, wide, globs, ""));
  std::vector<matrix::Variant> remaining = variants_of_plan(selected.variants, frozen);
  if (remaining.empty() && !frozen.variants.empty() && !selection.allow_empty) {
    return fail(ErrorKind::nothing_selected, "no variant is selected: the plan has none of them",
                "`pinwheel plan --plan FILE --format ids` lists the variants of a plan");
  }
  return shard_of(plan::make_outline(loaded.classes, remaining), selection);
}

namespace {

constexpr const char* kFreezeAgain =
    "check out the commit of the plan, or freeze a new one: `pinwheel plan --out FILE`";

std::string short_commit(const std::string& commit) {
  constexpr size_t kShortSha = 7;
  return commit.empty() ? "no commit" : "commit " + quoted(commit.substr(0, kShortSha));
}

Done check_commit(const plan::FrozenPlan& frozen, const ports::GitFacts& checkout) {
  if (frozen.commit == checkout.commit) return {};
  return fail(ErrorKind::drift,
              fmt::format("the plan is of {}, and the checkout is at {}",
                          short_commit(frozen.commit), short_commit(checkout.commit)),
              kFreezeAgain);
}

/// The version of the plan's commit; nullopt if that cannot be known from the checkout alone.
std::optional<version::Derived> version_here(const Host& host, const matrix::Matrix& matrix,
                                             const plan::FrozenPlan& frozen,
                                             ports::GitFacts checkout, const fs::path& directory) {
  if (matrix.package.version.from == matrix::VersionFrom::calver) return std::nullopt;
  checkout.dirty = frozen.version.unreleased.ends_with(".dirty");
  const VersionSources sources{host, nullptr, &checkout, directory, {}};
  Result<version::Derived> derived =
      package_version(matrix.package, version_channel(matrix, frozen.channel), sources);
  // Other errors of the version are reported where it is derived.
  if (!derived) return std::nullopt;
  return *std::move(derived);
}

/// The version without the part that a nightly adds.
std::string comparable(pep::Version version, bool nightly) {
  if (nightly) version.dev.reset();
  return pep::to_string(version);
}

Done check_version_of(const plan::FrozenPlan& frozen, const version::Derived& here, bool nightly) {
  const Result<pep::Version> planned = pep::parse_version(frozen.version.version);
  const bool same = planned && comparable(*planned, nightly) == comparable(here.version, nightly) &&
                    frozen.version.unreleased == here.unreleased;
  if (same) return {};
  const auto text = [](const std::string& version, const std::string& unreleased) {
    return quoted(unreleased.empty() ? version : version + "+" + unreleased);
  };
  return fail(
      ErrorKind::drift,
      fmt::format("the plan is of version {}, and {} has version {}",
                  text(frozen.version.version, frozen.version.unreleased),
                  short_commit(frozen.commit), text(pep::to_string(here.version), here.unreleased)),
      kFreezeAgain);
}

}  // namespace

Done check_checkout(const Host& host, const Loaded& loaded, const plan::FrozenPlan& frozen) {
  const matrix::Matrix& matrix = loaded.matrix;
  if (!matrix.package.requirement.empty()) return {};
  TRY(const fs::path directory, package_directory(host, matrix));
  const Result<ports::GitFacts> checkout = host.git.facts(directory, ports::WorkTree::ignore);
  // The commit of a repository that tracks none of the files says nothing of them.
  if (!checkout || !checkout->tracks_directory) return {};
  TRY_DONE(check_commit(frozen, *checkout));
  const std::optional<version::Derived> here =
      version_here(host, matrix, frozen, *checkout, directory);
  if (!here) return {};
  const bool nightly = matrix.package.version.from == matrix::VersionFrom::git_tag &&
                       version_channel(matrix, frozen.channel) == version::Channel::nightly;
  return check_version_of(frozen, *here, nightly);
}

Done check_has_channel(const Loaded& loaded, const SelectionOptions& selection,
                       const std::vector<std::string>& globs, const plan::FrozenPlan& frozen) {
  SelectionOptions whole = selection;
  // The shard applies to the plan, not to the channel.
  whole.shard.clear();
  whole.allow_empty = true;
  TRY(const plan::Outline outline, select_outline(loaded, whole, globs, frozen.channel));
  const std::unordered_set<std::string_view> planned(frozen.variants.begin(),
                                                     frozen.variants.end());
  std::vector<std::string> missing;
  for (const matrix::Variant& variant : outline.variants) {
    if (!planned.contains(variant.id)) missing.push_back(variant.id);
  }
  if (missing.empty()) return {};
  const std::string of =
      frozen.channel.empty() ? "the matrix" : "channel " + quoted(frozen.channel);
  return fail(ErrorKind::drift,
              fmt::format("the plan lacks {} of the {} of {}: {}", missing.size(),
                          plural(outline.variants.size(), "variant"), of, quoted_list(missing)),
              "freeze a new plan; to release a part, use the selection of the plan");
}

}  // namespace pinwheel::prepare
