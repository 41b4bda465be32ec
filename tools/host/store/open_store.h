#pragma once
#include <filesystem>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/secret.h"
#include "host/store/store.h"
#include "store/place_description.h"

namespace pinwheel::host {

/// What places need to be opened.
struct StoreSetup {
  std::vector<store::PlaceDescription> places = {};  ///< in order
  store::Domain domain = store::Domain::branch;
  std::string run = {};                                 ///< id of the run; empty: `run_id`
  std::filesystem::path cache;                          ///< the cache directory of the machine
  std::map<std::string, std::string> environment = {};  ///< pinwheel's variables
  std::string user_agent = "pinwheel";
  MaskSecret mask = {};  ///< called with every secret before it is used
  ports::LogHandle log = ports::no_log();
  std::stop_token cancel = {};
};

/// The id of a run: that of the CI service, the same for all jobs of its workflow; else random.
std::string run_id(const std::map<std::string, std::string>& environment);

/// The store of a run; no place is asked yet. `usage` for a place that cannot be opened at all:
/// credentials that are needed and missing are a fault of the place, not an error.
Result<std::unique_ptr<Store>> open_store(const StoreSetup& setup);

}  // namespace pinwheel::host
