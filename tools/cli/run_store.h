#pragma once
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/options.h"
#include "cli/prepare_run.h"
#include "cli/streams.h"
#include "host/machine/workplace.h"
#include "host/steps/stored_results.h"
#include "host/store/store.h"
#include "matrix/matrix.h"
#include "plan/step.h"
#include "store/place_description.h"

namespace pinwheel::cli {

/// The places of results that the user names: those of `--store`, else of PINWHEEL_STORE. `usage`
/// for one that is no place. Pure.
Result<std::vector<store::PlaceDescription>> named_places(
    const StoreOptions& options, const std::map<std::string, std::string>& variables);

/// The places of a matrix's `store:`, relative to the file, only to be read in the event of a pull
/// request. `config`, naming the file, for one that is no place. Pure.
Result<std::vector<store::PlaceDescription>> matrix_places(
    const matrix::Matrix& matrix, const std::map<std::string, std::string>& variables);

/// The directories among places: no part of a source.
std::vector<std::string> directories_of(const std::vector<store::PlaceDescription>& places);

/// `usage` for places and a domain that a run could not have, before anything is prepared. Pure.
Done check_store_options(const StoreOptions& options,
                         const std::map<std::string, std::string>& variables);

/// What a run does with its store: it takes results only, keeps its own as well, or even publishes
/// what it took and kept.
enum class StoreUse { read, keep, publish };

/// The store of a run: the user's places, then the matrix's; without places, one that has nothing.
/// `usage` for a domain that the run may not have. A stop ends its transfers.
Result<std::shared_ptr<host::Store>> open_run_store(const StoreOptions& options, StoreUse use,
                                                    const matrix::Matrix& matrix,
                                                    const host::Workplace& workplace,
                                                    const std::stop_token& cancel,
                                                    Streams& streams);

/// What the results of this run say of it. `plan_digest` as in `host::ResultFacts`.
host::ResultFacts result_facts(const PreparedRun& run, std::string plan_digest);

}  // namespace pinwheel::cli
