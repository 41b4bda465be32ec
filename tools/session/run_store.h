#pragma once
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "host/machine/workplace.h"
#include "host/run/stored_results.h"
#include "host/store/store.h"
#include "plan/step.h"
#include "prepare/host.h"
#include "prepare/options.h"
#include "prepare/prepare_run.h"
#include "prepare/store_places.h"
#include "session/console.h"
#include "store/place_description.h"

namespace pinwheel::session {

/// How a run uses its store: it only reads results, also writes its own, or also publishes the
/// results that it read and wrote.
enum class StoreUse { read, write, publish };

/// The settings of the command line and the matrix for the store of a run.
struct StoreRequest {
  const prepare::RunStore& own;
  const std::vector<store::PlaceDescription>& of_matrix;
  StoreUse use = StoreUse::write;
  std::stop_token cancel = {};
};

/// The store of a run: the user's places, then the matrix's; without places, an empty one. Errors
/// are those of `host::open_store`. A stop ends its transfers.
Result<std::shared_ptr<host::Store>> open_run_store(ports::Files& files,
                                                    const StoreRequest& request,
                                                    const host::Workplace& workplace,
                                                    Console& console);

/// Whether a run may write its results to a place.
bool writes_to_store(const StoreRequest& request);

/// The facts that are stored with the results of this run. `plan_digest` as in `host::ResultFacts`.
host::ResultFacts result_facts(const prepare::Host& host, const prepare::PreparedRun& run,
                               std::string plan_digest);

}  // namespace pinwheel::session
