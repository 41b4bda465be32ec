#include "cli/store_question.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "host/store/store.h"
#include "host/store/tree_place.h"
#include "plan/frozen.h"
#include "prepare/frozen_scope.h"
#include "prepare/host.h"
#include "prepare/load.h"
#include "prepare/run_scope.h"
#include "prepare/step_choice.h"
#include "prepare/version_facts.h"
#include "prepare/workplace.h"
#include "session/run_store.h"

namespace pinwheel::cli {
namespace {

/// A run to be, and where its packages come from.
struct AskedRun {
  prepare::RunScope scope;
  prepare::PackageSource source;
};

std::vector<std::string> only_step(const std::string& step) {
  return step.empty() ? std::vector<std::string>() : std::vector{step};
}

Result<AskedRun> frozen_run(ports::Files& files, const prepare::GlobalOptions& global,
                            const StoreCommandOptions& options, const prepare::MatrixChoice& choice,
                            const plan::FrozenPlan& frozen, Streams& streams) {
  TRY(const std::string matrix, files.read(choice.path, limits::kMatrix));
  prepare::SelectionOptions selection;
  selection.channel = options.channel;
  const prepare::MatrixChoice whole{choice.path, {}};
  TRY(prepare::RunScope scope,
      prepare::frozen_scope(
          files, {global, selection, options.levels, whole, plan::Stage::publish, frozen},
          streams));
  // The plan has decided everything that is in a key.
  scope.carried = prepare::Carried{};
  return AskedRun{std::move(scope), prepare::FromFrozenPlan{frozen, sha256_hex(matrix)}};
}

Result<AskedRun> fresh_run(const prepare::Host& host, const prepare::GlobalOptions& global,
                           const StoreCommandOptions& options, const prepare::MatrixChoice& choice,
                           Streams& streams) {
  TRY(const prepare::Loaded loaded,
      prepare::load_matrix(host.files, choice.path, streams, prepare::Warnings::tell));
  TRY(const prepare::VersionFacts version,
      prepare::gather_version_facts(host, loaded, options.channel, {}, streams.log()));
  TRY(const plan::Outline outline, prepare::select_outline(loaded, {}, {}, version.channel));
  const plan::Stage stage = version.targets.empty() ? plan::Stage::test : plan::Stage::publish;
  TRY(prepare::RunScope scope,
      prepare::up_to(stage, {global, loaded, outline, options.levels, version}));
  return AskedRun{std::move(scope), prepare::FromRecord{}};
}

}  // namespace

Result<AskingRun> prepare_asking_run(const prepare::Host& host,
                                     const prepare::GlobalOptions& global,
                                     const StoreCommandOptions& options, const std::string& step,
                                     Streams& streams) {
  AskingRun asking;
  TRY(asking.domain, store::choose_domain(options.domain, host.variables));
  TRY(const std::optional<plan::FrozenPlan> frozen,
      prepare::read_frozen_plan(host.files, options.plan_file));
  TRY(const prepare::MatrixChoice choice,
      prepare::choose_matrix_of(host, options.arguments, frozen));
  TRY(AskedRun asked, frozen ? frozen_run(host.files, global, options, choice, *frozen, streams)
                             : fresh_run(host, global, options, choice, streams));
  const std::optional<prepare::Carried> carried = asked.scope.carried;
  TRY(asked.scope, prepare::narrowed_to_steps(std::move(asked.scope), only_step(step)));
  if (carried) asked.scope.carried = carried;
  TRY(asking.run, prepare::prepare_run(host, asked.scope, asked.source, streams));
  std::string digest;
  if (frozen) {
    TRY(const std::string text, host.files.read(options.plan_file));
    digest = sha256_hex(text);
  }
  asking.facts = session::result_facts(host, asking.run, std::move(digest));
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
