#include "session/changed_since.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "base/text.h"
#include "host/git/worktree.h"
#include "host/machine/ignored_directory.h"
#include "host/run/journal_file.h"
#include "host/run/stored_results.h"
#include "prepare/prepare_run.h"
#include "prepare/read_scope.h"
#include "prepare/workplace.h"
#include "run/reuse.h"
#include "session/run_store.h"

namespace pinwheel::session {
namespace {

namespace fs = std::filesystem;

/// A locked directory for the other commit. It has the checkout of that commit and a separate state
/// directory, so that its resolutions do not replace those of this checkout.
struct SincePlace {
  fs::path checkout;
  prepare::GlobalOptions global;
  std::unique_ptr<ports::FileLock> lock;
};

Result<SincePlace> make_since_place(const prepare::Host& host,
                                    const prepare::GlobalOptions& global) {
  const fs::path state = host.at(global.state_dir);
  TRY_DONE(host::make_ignored_directory(host.files, state));
  const fs::path directory = state / "changed-since";
  SincePlace place;
  TRY(place.lock, host.files.lock(directory.string() + ".lock", ports::IfLocked::wait));
  TRY_DONE(host.files.remove_all(directory));
  place.checkout = directory / "checkout";
  place.global = global;
  place.global.state_dir = (directory / "state").string();
  TRY_DONE(host.files.make_directories(place.global.state_dir));
  const fs::path known = state / "resolutions";
  if (host.files.resolved_type(known) == ports::FileType::missing) return place;
  std::error_code failed;
  fs::copy(known, fs::path(place.global.state_dir) / "resolutions", fs::copy_options::recursive,
           failed);
  if (!failed) return place;
  return fail(ErrorKind::environment,
              fmt::format("{} cannot be copied: {}", quoted(known.string()), failed.message()));
}

/// The repository of the matrix; its history must be complete.
Result<ports::GitFacts> complete_repository(const prepare::Host& host,
                                            const prepare::RunScope& scope) {
  TRY(ports::GitFacts checkout,
      host.git.facts(scope.loaded.matrix.directory, ports::WorkTree::ignore));
  if (!checkout.shallow) return checkout;
  return fail(ErrorKind::environment,
              fmt::format("{} is a shallow clone, so it is not known when its files last changed",
                          quoted(checkout.root.string())),
              "run `git fetch --unshallow --tags`; with actions/checkout, set `fetch-depth: 0`");
}

/// The path of the matrix in its repository; `usage` if it is a link to a file outside.
Result<fs::path> path_of_matrix(const prepare::Host& host, const prepare::RunScope& scope,
                                const fs::path& root) {
  TRY(const fs::path matrix, host.files.without_links(scope.loaded.matrix.file));
  TRY(const fs::path real, host.files.without_links(root));
  fs::path relative = matrix.lexically_relative(real);
  if (!relative.empty() && *relative.begin() != "..") return relative;
  return fail(ErrorKind::usage,
              fmt::format("{} is outside of its repository {}", quoted(matrix.string()),
                          quoted(real.string())),
              "`--changed-since` needs a matrix that its commits contain");
}

/// The variants of the scope that the other matrix has, too.
plan::Outline same_variants(const prepare::Loaded& loaded, const plan::Outline& outline) {
  std::set<std::string> ids;
  for (const matrix::Variant& variant : outline.variants) ids.insert(variant.id);
  std::vector<matrix::Variant> variants;
  for (const matrix::Variant& variant : loaded.expansion.variants) {
    if (ids.contains(variant.id)) variants.push_back(variant);
  }
  return plan::make_outline(loaded.classes, variants);
}

/// The scope of the other commit, for the same variants.
Result<prepare::RunScope> scope_then(const prepare::Host& host, const prepare::RunScope& now,
                                     const SinceRequest& request, const SincePlace& place,
                                     const fs::path& matrix, Console& console) {
  const fs::path file = place.checkout / matrix;
  if (host.files.resolved_type(file) == ports::FileType::missing) {
    return fail(ErrorKind::config,
                fmt::format("{} has no file {}", quoted(request.revision), quoted(matrix.string())),
                "name a commit that has the matrix");
  }
  const prepare::MatrixChoice choice{file.string(), {}};
  prepare::SelectionOptions selection;
  selection.channel = request.channel;
  prepare::ScopeRequest whole{place.global, choice, selection, now.levels};
  whole.part = prepare::ScopePart::whole;
  whole.images = prepare::TestImageUse::prepare;
  TRY(prepare::RunScope scope, prepare::read_scope(host, whole, console));
  scope.outline = same_variants(scope.loaded, now.outline);
  return prepare::up_to(plan::Stage::test, std::move(scope));
}

/// The scope of this checkout in the version of the other commit.
Result<prepare::RunScope> scope_now(prepare::RunScope scope, const prepare::RunScope& then) {
  prepare::VersionFacts version = then.version;
  version.channel = scope.version.channel;
  version.targets = scope.version.targets;
  version.publishes_nowhere = scope.version.publishes_nowhere;
  scope.version = std::move(version);
  scope.images = prepare::TestImageUse::prepare;
  return prepare::up_to(plan::Stage::test, std::move(scope));
}

struct PreparedSide {
  plan::SinceSide side;
  prepare::PreparedRun run;
};

Result<PreparedSide> prepare_side(const prepare::Host& host, const prepare::RunScope& scope,
                                  prepare::UseLocks locks, Console& console) {
  TRY(prepare::PreparedRun run,
      prepare::prepare_run(host, scope, prepare::locks_or_indexes(locks), console));
  plan::SinceSide side{run.plan, host.at(scope.loaded.matrix.file),
                       result_facts(host, run, {}).packages};
  return PreparedSide{std::move(side), std::move(run)};
}

/// The results of the other commit in the state directory and in the stores. Their files do not
/// matter here.
Result<plan::Results> results_then(const prepare::Host& host, const SinceRequest& request,
                                   const PreparedSide& then,
                                   const std::vector<store::PlaceDescription>& of_matrix,
                                   Console& console) {
  plan::Results results;
  if (host.files.resolved_type(request.global.state_dir) != ports::FileType::missing) {
    TRY(const run::History history,
        host::read_journal(request.global.state_dir, request.store.domain));
    results = run::results_of(then.side.plan, history);
    // A test that could not run there does not run because of the change either.
    for (const auto& [step, outcome] : history.finished) {
      if (outcome.state == plan::StepState::skipped) results.emplace(step, outcome);
    }
  }
  TRY(const std::shared_ptr<host::Store> store,
      open_run_store(host.files, {request.store, of_matrix, StoreUse::read},
                     then.run.gathered.workplace, console));
  std::set<std::string> all;
  for (const plan::Step& step : then.side.plan.steps) all.insert(step.id);
  const host::ResultFacts facts = result_facts(host, then.run, {});
  host::SearchedResults known =
      host::search_store(std::move(results), {.store = *store,
                                              .plan = then.side.plan,
                                              .facts = facts,
                                              .files = host::ResultFiles::leave,
                                              .skipped_will_do = all});
  for (const Error& warning : known.warnings) console.warn(warning);
  for (const Error& warning : store->finish()) console.warn(warning);
  return std::move(known.results);
}

tl::unexpected<Error> no_results(const SinceRequest& request, const std::string& commit) {
  const std::string command =
      fmt::format("git switch --detach {} && pinwheel test", shell_quote(request.revision));
  return fail(ErrorKind::check,
              fmt::format("no step of {} ({}) has a result in the state directory or a store, with "
                          "the variables and the compiler of this run",
                          quoted(request.revision), commit.substr(0, 12)),
              fmt::format("name the store that its runs use with `--store`, or run it once: {}",
                          quoted(command)));
}

}  // namespace

Result<plan::ChangedSince> changed_since(const prepare::Host& host, const prepare::RunScope& scope,
                                         const SinceRequest& request, Console& console) {
  TRY(const ports::GitFacts checkout, complete_repository(host, scope));
  TRY(const fs::path matrix, path_of_matrix(host, scope, checkout.root));
  host::Workplace aside = prepare::outside_run(host, console.log());
  TRY(aside.cache, prepare::cache_directory(host));
  const prepare::OpenMachine local = host.machine(aside);
  const host::GitProgram git{local->files, local->process, local->variables};
  plan::ChangedSince since{request.revision, {}, {}};
  TRY(since.commit, host::commit_of(git, checkout.root, request.revision));
  TRY(const SincePlace place, make_since_place(host, request.global));
  TRY(const host::Worktree worktree,
      host::Worktree::add(git, checkout.root, since.commit, place.checkout));
  TRY(const prepare::RunScope before, scope_then(host, scope, request, place, matrix, console));
  PreparedSide then;
  plan::Results results;
  // Without a variant in common, no step has a result there.
  if (!before.outline.variants.empty()) {
    TRY(then, prepare_side(host, before, request.locks, console));
    TRY(results, results_then(host, request, then, scope.stores, console));
    if (!plan::has_any_result(then.side.plan, results)) return no_results(request, since.commit);
  }
  TRY(const prepare::RunScope after, scope_now(scope, before));
  TRY(const PreparedSide now, prepare_side(host, after, request.locks, console));
  since.steps = plan::compare_sides(then.side, results, now.side, request.revision);
  return since;
}

}  // namespace pinwheel::session
