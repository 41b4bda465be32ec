#include "prepare/read_scope.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/digest.h"
#include "base/limits.h"
#include "base/text.h"
#include "host/machine/machine_name.h"
#include "plan/step_id.h"
#include "prepare/frozen_run.h"
#include "prepare/host.h"
#include "prepare/prepare_run.h"
#include "prepare/store_places.h"

namespace pinwheel::prepare {
namespace {

namespace fs = std::filesystem;

/// The root of the repository of the working directory; empty outside one.
fs::path checkout_root(const Host& host) {
  const Result<ports::GitFacts> checkout = host.git.facts(host.directory, ports::WorkTree::ignore);
  return checkout ? checkout->root : fs::path();
}

/// Checks that the matrix on the command line is that of the plan. Outside a checkout only its
/// digest is compared.
Done check_agrees(ports::Files& files, const std::string& path, const plan::FrozenPlan& frozen,
                  const fs::path& root) {
  if (root.empty() || frozen.matrix.empty()) return {};
  const Result<fs::path> named = files.without_links(path);
  const Result<fs::path> planned = files.without_links(root / frozen.matrix);
  if (!named || !planned || *named == *planned) return {};
  return fail(ErrorKind::usage,
              fmt::format("the plan is of {}, not of {}", quoted(frozen.matrix), quoted(path)),
              "omit the matrix: the plan names it");
}

Done check_channel(const std::string& channel, const plan::FrozenPlan& frozen) {
  if (channel.empty() || channel == frozen.channel) return {};
  return fail(ErrorKind::usage,
              fmt::format("{} contradicts the plan, which was frozen for {}",
                          quoted(fmt::format("--channel {}", channel)), quoted(frozen.channel)),
              "omit it: the plan decides");
}

Done check_build_number_of(uint64_t build, const plan::FrozenPlan& frozen) {
  if (build == 0 || build == frozen.version.build) return {};
  const std::string planned = frozen.version.build == 0
                                  ? "without a build number"
                                  : fmt::format("with build number {}", frozen.version.build);
  return fail(ErrorKind::usage,
              fmt::format("{} contradicts the plan, which was frozen {}",
                          quoted(fmt::format("--build-number {}", build)), planned),
              "omit it: the plan decides");
}

/// The variant of a step id; any other id is returned unchanged.
std::string variant_id_of(const Loaded& loaded, const std::string& id) {
  for (const matrix::AbiClass& cls : loaded.classes) {
    if (id == plan::build_id(cls.id)) return cls.representative;
  }
  return plan::variant_of(id);
}

Result<VersionFacts> version_for(const Host& host, const ScopeRequest& request,
                                 const Loaded& loaded, const ports::LogHandle& log) {
  if (request.version) return *request.version;
  TRY(VersionFacts version,
      gather_version_facts(host, loaded, request.selection.channel, request.targets,
                           request.selection.build_number, log));
  // A single variant is not published, and targets would affect the names of wheels.
  if (request.part == ScopePart::one_id) version.targets.clear();
  return version;
}

Result<RunScope> finished(const ScopeRequest& request, RunScope scope) {
  if (request.part == ScopePart::whole) return scope;
  const bool publishes = !scope.version.targets.empty();
  const plan::Stage stage =
      request.stage.value_or(publishes ? plan::Stage::publish : plan::Stage::test);
  if (publishes && stage == plan::Stage::publish) {
    const Loaded& loaded = scope.loaded;
    scope.outline = plan::with_tested_siblings(std::move(scope.outline), loaded.classes,
                                               loaded.expansion.variants);
  }
  return up_to(stage, std::move(scope));
}

Result<RunScope> fresh_scope(const Host& host, const ScopeRequest& request, Loaded loaded,
                             const ports::LogHandle& log) {
  plan::Outline outline;
  // An unknown id is reported before git is called.
  if (request.part == ScopePart::one_id) {
    TRY(outline, outline_of(loaded, request.choice.globs.at(0)));
  }
  TRY(VersionFacts version, version_for(host, request, loaded, log));
  if (request.part == ScopePart::whole) {
    outline = plan::make_outline(loaded.classes, loaded.expansion.variants);
  }
  if (request.part == ScopePart::selected) {
    const std::string& channel = request.version ? request.selection.channel : version.channel;
    TRY(outline, select_outline(loaded, request.selection, request.choice.globs, channel));
  }
  return finished(request, {request.global, std::move(loaded), std::move(outline), request.levels,
                            std::move(version), request.images});
}

Result<RunScope> frozen_scope(const ScopeRequest& request, const plan::FrozenPlan& frozen,
                              Loaded loaded) {
  TRY(const LevelOptions levels, frozen_levels(request.levels, frozen));
  TRY(plan::Outline outline,
      frozen_outline(loaded, request.selection, request.choice.globs, frozen));
  VersionFacts here;
  here.machine = host::machine_name();
  here.publishes_nowhere = publishes_nowhere(loaded.matrix, frozen.channel);
  return finished(request, {request.global, std::move(loaded), std::move(outline), levels,
                            frozen_version(std::move(here), frozen), request.images});
}

}  // namespace

Result<std::optional<PlanFile>> read_frozen_plan(ports::Files& files, const std::string& file) {
  if (file.empty()) return std::nullopt;
  TRY(const std::string text, files.read(file, limits::kPlan));
  TRY(plan::FrozenPlan plan, plan::parse_frozen_plan(text, file));
  return PlanFile{std::move(plan), sha256_hex(text)};
}

Done check_matrix_path(const std::string& path) {
  const fs::path relative(path);
  const bool leaves = std::find(relative.begin(), relative.end(), "..") != relative.end();
  if (!path.empty() && !relative.is_absolute() && !leaves) return {};
  return fail(ErrorKind::config,
              fmt::format("{} is not a matrix file inside a repository", quoted(path)),
              "for a run outside git, pass the matrix: `pinwheel reproduce REPORT MATRIX.yaml`");
}

Result<MatrixChoice> choose_matrix_of(const Host& host, const std::vector<std::string>& arguments,
                                      const std::optional<PlanFile>& frozen) {
  const bool named = std::any_of(arguments.begin(), arguments.end(), is_matrix_name);
  if (!frozen || frozen->plan.matrix.empty()) return choose_matrix(host, arguments);
  const fs::path root = checkout_root(host);
  if (named) {
    TRY(MatrixChoice choice, choose_matrix(host, arguments));
    TRY_DONE(check_agrees(host.files, choice.path, frozen->plan, root));
    return choice;
  }
  TRY_DONE(check_matrix_path(frozen->plan.matrix));
  const fs::path matrix = (root / frozen->plan.matrix).lexically_proximate(host.directory);
  std::vector<std::string> with_matrix = arguments;
  with_matrix.push_back(matrix.string());
  return choose_matrix(host, with_matrix);
}

Result<RunScope> read_scope(const Host& host, const ScopeRequest& request,
                            ports::Notices& notices) {
  if (request.frozen != nullptr) {
    TRY_DONE(check_channel(request.selection.channel, *request.frozen));
    TRY_DONE(check_build_number_of(request.selection.build_number, *request.frozen));
  }
  const Warnings warnings = request.selection.strict ? Warnings::refuse : Warnings::print;
  TRY(Loaded loaded, load_matrix(host.files, request.choice.path, notices, warnings));
  return scope_of(host, request, std::move(loaded), notices.log());
}

Result<RunScope> scope_of(const Host& host, const ScopeRequest& request, Loaded loaded,
                          const ports::LogHandle& log) {
  std::vector<store::PlaceDescription> stores = matrix_places(loaded.matrix, host.variables);
  TRY(RunScope scope, request.frozen != nullptr
                          ? frozen_scope(request, *request.frozen, std::move(loaded))
                          : fresh_scope(host, request, std::move(loaded), log));
  scope.stores = std::move(stores);
  return scope;
}

Result<plan::Outline> outline_of(const Loaded& loaded, const std::string& id) {
  const std::string wanted = variant_id_of(loaded, id);
  std::vector<std::string> ids;
  for (const matrix::Variant& variant : loaded.expansion.variants) {
    if (variant.id == wanted) return plan::make_outline(loaded.classes, {variant});
    ids.push_back(variant.id);
  }
  for (const matrix::AbiClass& cls : loaded.classes) ids.push_back(plan::build_id(cls.id));
  const std::string nearest = suggest(id, ids);
  return fail(ErrorKind::usage,
              fmt::format("{} has no variant or build {}", quoted(loaded.matrix.file), quoted(id)),
              nearest.empty() ? "`pinwheel plan --format ids` lists them" : nearest);
}

Result<PreparedRun> prepare_variant(const Host& host, const GlobalOptions& global,
                                    const OneVariantRequest& request, ports::Notices& notices) {
  TRY(const MatrixChoice choice, choose_matrix(host, request.arguments));
  if (choice.globs.size() != 1) {
    return fail(ErrorKind::usage, fmt::format("{} takes one id", quoted(request.command)),
                "`pinwheel plan --format ids` lists them");
  }
  const SelectionOptions selection;
  TRY(const RunScope scope, read_scope(host,
                                       {.global = global,
                                        .choice = choice,
                                        .selection = selection,
                                        .levels = request.levels,
                                        .stage = request.stage,
                                        .part = ScopePart::one_id},
                                       notices));
  return prepare_run(host, scope, request.packages, notices);
}

}  // namespace pinwheel::prepare
