#pragma once
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "matrix/matrix.h"
#include "prepare/host.h"
#include "prepare/options.h"
#include "store/domain.h"
#include "store/place_description.h"

namespace pinwheel::prepare {

/// The places of PINWHEEL_STORE. `usage` for an invalid place. Pure. `main` calls it once; all
/// other code reads `Host::stores`.
Result<std::vector<store::PlaceDescription>> variable_places(
    const std::map<std::string, std::string>& variables);

/// The places of a matrix's `store:`, with paths relative to the working directory, read-only in
/// the event of a pull request. Pure.
std::vector<store::PlaceDescription> matrix_places(
    const matrix::Matrix& matrix, const std::map<std::string, std::string>& variables);

/// The directories among places, which are not part of a source.
std::vector<std::string> directories_of(const std::vector<store::PlaceDescription>& places);

/// Whether a run writes its results to a store: in CI, not for an event that may be a pull request.
enum class StoreWrites { yes, no };

/// The user's settings for the store of a run.
struct RunStore {
  store::Domain domain = store::Domain::branch;  ///< whose results the run uses
  StoreWrites writes = StoreWrites::yes;
  /// Those of the user: of `--store`, else of PINWHEEL_STORE.
  std::vector<store::PlaceDescription> places = {};
};

/// `usage` for places and a domain that a run cannot have, before anything is prepared. Pure.
Result<RunStore> read_run_store(const StoreOptions& options, const Host& host);

}  // namespace pinwheel::prepare
