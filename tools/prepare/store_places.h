#pragma once
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "matrix/matrix.h"
#include "prepare/options.h"
#include "store/domain.h"
#include "store/place_description.h"

namespace pinwheel::prepare {

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

/// Whether a run keeps its results: in CI, not for an event that may be a pull request.
enum class Keeping { yes, no };

/// What the user says of the store of a run.
struct RunStore {
  store::Domain domain = store::Domain::branch;  ///< whose results the run uses
  Keeping keeping = Keeping::yes;
  std::vector<store::PlaceDescription> places = {};  ///< those that the user names
};

/// `usage` for places and a domain that a run could not have, before anything is prepared. Pure.
Result<RunStore> read_run_store(const StoreOptions& options,
                                const std::map<std::string, std::string>& variables);

}  // namespace pinwheel::prepare
