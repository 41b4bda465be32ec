#include "cli/store_question.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "host/store/store.h"
#include "host/store/tree_place.h"
#include "prepare/host.h"
#include "prepare/requested_run.h"
#include "prepare/step_choice.h"
#include "session/run_store.h"

namespace pinwheel::cli {
namespace {

std::vector<std::string> only_step(const std::string& step) {
  return step.empty() ? std::vector<std::string>() : std::vector{step};
}

/// The run whose results are searched: of the frozen plan, else of this checkout.
Result<prepare::RequestedRun> requested_run(const prepare::Host& host,
                                            const prepare::GlobalOptions& global,
                                            const StoreCommandOptions& options, Streams& streams) {
  TRY(const std::optional<prepare::PlanFile> frozen,
      prepare::read_frozen_plan(host.files, options.plan_file));
  TRY(const prepare::MatrixChoice choice,
      prepare::choose_matrix_of(host, options.arguments, frozen));
  prepare::SelectionOptions selection;
  selection.channel = options.channel;
  const prepare::MatrixChoice whole{choice.path, {}};
  prepare::ScopeRequest request{global, whole, selection, options.levels};
  if (frozen) {
    request.stage = plan::Stage::publish;
    request.images = prepare::TestImageUse::prepare;
    request.frozen = &frozen->plan;
  }
  TRY(prepare::RunScope scope, prepare::read_scope(host, request, streams));
  if (!frozen) return prepare::RequestedRun{std::move(scope), prepare::FromRecord{}};
  // The plan has decided every part of a key.
  scope.executed = prepare::ExecutedPart{};
  prepare::FromFrozenPlan source{frozen->plan, scope.loaded.digest()};
  return prepare::RequestedRun{std::move(scope), std::move(source), {}, frozen->digest};
}

}  // namespace

Result<SearchedRun> read_searched_run(const prepare::Host& host,
                                      const prepare::GlobalOptions& global,
                                      const StoreCommandOptions& options, const std::string& step,
                                      Streams& streams) {
  SearchedRun searched;
  TRY(searched.domain, store::choose_domain(options.domain, host.variables));
  TRY(prepare::RequestedRun requested, requested_run(host, global, options, streams));
  const std::optional<prepare::ExecutedPart> executed = requested.scope.executed;
  TRY(requested.scope, prepare::narrowed_to_steps(std::move(requested.scope), only_step(step)));
  if (executed) requested.scope.executed = executed;
  TRY(searched.run, prepare::prepare_run(host, requested.scope, requested.source, streams));
  searched.facts = session::result_facts(host, searched.run, requested.plan_digest);
  return searched;
}

host::SearchedResults ask_place(const SearchedRun& searched, const std::filesystem::path& root,
                                const StoreCommandOptions& options, plan::Results results,
                                const std::set<std::string>& skipped_will_do, Streams& streams) {
  constexpr auto kReadOnly = store::PlaceAccess::read_only;
  std::vector<host::StorePlace> places;
  places.push_back({std::make_unique<host::TreePlace>(
                        host::TreeOptions{options.place, root, kReadOnly, host::Sharing::shared}),
                    kReadOnly});
  host::Store place(std::move(places), {.domain = searched.domain});
  host::SearchedResults known =
      host::search_store(std::move(results), {.store = place,
                                              .plan = searched.run.plan,
                                              .facts = searched.facts,
                                              .files = host::ResultFiles::leave,
                                              .skipped_will_do = skipped_will_do});
  for (const Error& warning : known.warnings) streams.warn(warning);
  for (const Error& warning : place.finish()) streams.warn(warning);
  return known;
}

}  // namespace pinwheel::cli
