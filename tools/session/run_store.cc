#include "session/run_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/text.h"
#include "env/request.h"
#include "host/machine/ignored_directory.h"
#include "host/provision/env_resolve.h"
#include "host/store/open_store.h"
#include "plan/environments.h"
#include "plan/known_results.h"
#include "prepare/host.h"
#include "prepare/step_choice.h"
#include "prepare/store_places.h"
#include "store/domain.h"

namespace pinwheel::session {
namespace {

namespace fs = std::filesystem;
using Places = std::vector<store::PlaceDescription>;

bool is_written(const store::PlaceDescription& place) {
  return place.access == store::PlaceAccess::read_write;
}

/// Makes missing directories of places. A new one ignores itself in git, so that it is not part of
/// the source of a later plan.
void make_directories(ports::Files& files, const Places& places) {
  for (const store::PlaceDescription& place : places) {
    if (place.kind != store::PlaceKind::directory || !is_written(place)) continue;
    // If a place cannot be made, the run continues with a faulty place.
    static_cast<void>(host::make_output_directory(files, place.path));
  }
}

/// Warns that no results are stored: the event of this CI job is unknown, so it may be a pull
/// request.
void warn_that_nothing_is_stored(const Places& places, Console& console) {
  if (std::ranges::none_of(places, is_written)) return;
  console.warn(Error{
      ErrorKind::environment,
      "no result is stored: this CI service does not say whether a pull request started the job"}
                   .with_hint("set PINWHEEL_STORE_DOMAIN: `pull-request` in such jobs, `branch` or "
                              "`release` in others"));
}

}  // namespace

bool writes_to_store(const StoreRequest& request) {
  const bool writes =
      request.use != StoreUse::read && request.own.writes == prepare::StoreWrites::yes;
  return writes && (std::ranges::any_of(request.own.places, is_written) ||
                    std::ranges::any_of(request.of_matrix, is_written));
}

Result<std::shared_ptr<host::Store>> open_run_store(ports::Files& files,
                                                    const StoreRequest& request,
                                                    const host::Workplace& workplace,
                                                    Console& console) {
  const auto& [own, of_matrix, use, cancel] = request;
  host::StoreSetup setup;
  setup.domain = own.domain;
  setup.places = own.places;
  setup.places.insert(setup.places.end(), of_matrix.begin(), of_matrix.end());
  const bool writes_results = use != StoreUse::read && own.writes == prepare::StoreWrites::yes;
  if (use != StoreUse::read && !writes_results) warn_that_nothing_is_stored(setup.places, console);
  if (!writes_results) {
    for (auto& place : setup.places) place.access = store::PlaceAccess::read_only;
  }
  setup.publishes = use == StoreUse::publish ? host::Publishes::yes : host::Publishes::no;
  make_directories(files, writes_results ? own.places : Places());
  setup.cache = workplace.cache;
  setup.environment = workplace.variables;
  setup.user_agent = fmt::format("pinwheel/{}", prepare::kPinwheelVersion);
  setup.mask = [&console](const Secret& secret) { console.mask(secret); };
  setup.log = workplace.log;
  setup.cancel = cancel;
  setup.waiting = [&console](const std::string& line) { console.note(line); };
  TRY(std::unique_ptr<host::Store> store, host::open_store(setup));
  return std::shared_ptr<host::Store>(std::move(store));
}

host::ResultFacts result_facts(const prepare::Host& host, const prepare::PreparedRun& run,
                               std::string plan_digest) {
  host::ResultFacts facts;
  facts.plan = std::move(plan_digest);
  const prepare::OpenMachine local = host.machine(run.gathered.workplace);
  for (const plan::Step& step : run.plan.steps) {
    const env::Request* const request =
        plan::is_shareable(step) ? prepare::request_of(step.action) : nullptr;
    if (request == nullptr || request->python.empty()) continue;
    const auto resolution = host::load_resolution(*local, env::digest(*request));
    if (!resolution) continue;
    facts.pythons[step.id] = resolution->python;
    facts.packages[step.id] = plan::environment_packages(*resolution);
  }
  facts.writer.commit = run.gathered.facts.commit;
  facts.writer.channel = run.gathered.scope.version.channel;
  return facts;
}

}  // namespace pinwheel::session
