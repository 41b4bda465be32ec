#include "cli/store_question.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "cli/frozen_scope.h"
#include "cli/load.h"
#include "cli/run_scope.h"
#include "cli/run_store.h"
#include "cli/step_choice.h"
#include "cli/version_facts.h"
#include "cli/workplace.h"
#include "host/git/git.h"
#include "host/store/store.h"
#include "host/store/tree_place.h"
#include "host/system/files.h"
#include "plan/frozen.h"

namespace pinwheel::cli {
namespace {

/// A run to be, and where its packages come from.
struct AskedRun {
  RunScope scope;
  PackageSource source;
};

std::vector<std::string> only_step(const std::string& step) {
  return step.empty() ? std::vector<std::string>() : std::vector{step};
}

Result<AskedRun> frozen_run(const GlobalOptions& global, const StoreCommandOptions& options,
                            const MatrixChoice& choice, const plan::FrozenPlan& frozen,
                            Streams& streams) {
  host::LocalFiles files;
  TRY(const std::string matrix, files.read(choice.path, limits::kMatrix));
  SelectionOptions selection;
  selection.channel = options.channel;
  const MatrixChoice whole{choice.path, {}};
  TRY(RunScope scope,
      frozen_scope({global, selection, options.levels, whole, plan::Stage::publish, frozen},
                   streams));
  // The plan has decided everything that is in a key.
  scope.carried = Carried{};
  return AskedRun{std::move(scope), FromFrozenPlan{frozen, sha256_hex(matrix)}};
}

Result<AskedRun> fresh_run(const GlobalOptions& global, const StoreCommandOptions& options,
                           const MatrixChoice& choice, Streams& streams) {
  host::LocalFiles files;
  host::LibGit2 git;
  TRY(const Loaded loaded, load_matrix(files, choice.path, streams, Warnings::tell));
  TRY(const VersionFacts version,
      gather_version_facts(files, git, loaded, options.channel, {}, streams.log()));
  TRY(const plan::Outline outline, select_outline(loaded, {}, {}, version.channel));
  const plan::Stage stage = version.targets.empty() ? plan::Stage::test : plan::Stage::publish;
  TRY(RunScope scope, up_to(stage, {global, loaded, outline, options.levels, version}));
  return AskedRun{std::move(scope), FromRecord{}};
}

}  // namespace

Result<AskingRun> prepare_asking_run(const GlobalOptions& global,
                                     const StoreCommandOptions& options, const std::string& step,
                                     Streams& streams) {
  host::LocalFiles files;
  host::LibGit2 git;
  AskingRun asking;
  TRY(asking.domain, store::choose_domain(options.domain, user_variables()));
  TRY(const std::optional<plan::FrozenPlan> frozen, read_frozen_plan(files, options.plan_file));
  TRY(const MatrixChoice choice, choose_matrix_of(files, git, options.arguments, frozen));
  TRY(AskedRun asked, frozen ? frozen_run(global, options, choice, *frozen, streams)
                             : fresh_run(global, options, choice, streams));
  const std::optional<Carried> carried = asked.scope.carried;
  TRY(asked.scope, narrowed_to_steps(std::move(asked.scope), only_step(step)));
  if (carried) asked.scope.carried = carried;
  TRY(asking.run, prepare_run(asked.scope, asked.source, streams));
  std::string digest;
  if (frozen) {
    TRY(const std::string text, files.read(options.plan_file));
    digest = sha256_hex(text);
  }
  asking.facts = result_facts(asking.run, std::move(digest));
  return asking;
}

host::SearchedResults ask_place(const AskingRun& asking, const std::filesystem::path& root,
                                const StoreCommandOptions& options, plan::Results results,
                                const std::set<std::string>& skipped_will_do, Streams& streams) {
  constexpr auto kReadOnly = store::PlaceAccess::read_only;
  std::vector<host::ChainedPlace> places;
  places.push_back({std::make_unique<host::TreePlace>(
                        host::TreeOptions{options.place, root, kReadOnly, host::Sharing::shared}),
                    kReadOnly});
  host::Store place(std::move(places), {.domain = asking.domain});
  host::SearchedResults known =
      host::search_store(std::move(results), {.store = place,
                                              .plan = asking.run.plan,
                                              .facts = asking.facts,
                                              .files = host::ResultFiles::leave,
                                              .skipped_will_do = skipped_will_do});
  for (const Error& warning : known.warnings) streams.warn(warning);
  for (const Error& warning : place.finish()) streams.warn(warning);
  return known;
}

}  // namespace pinwheel::cli
