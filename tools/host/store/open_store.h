#pragma once
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/secret.h"
#include "host/store/store.h"
#include "host/store/tree_lease.h"
#include "store/place_description.h"

namespace pinwheel::host {

/// The inputs for opening places.
struct StoreSetup {
  std::vector<store::PlaceDescription> places = {};  ///< in order
  store::Domain domain = store::Domain::branch;
  std::string run = {};  ///< id of the run; empty: `run_id`
  Publishes publishes = Publishes::no;
  std::filesystem::path cache;                          ///< the cache directory of the machine
  std::map<std::string, std::string> environment = {};  ///< pinwheel's variables
  std::string user_agent = "pinwheel";
  MaskSecret mask = {};  ///< called with every secret before it is used
  ports::LogHandle log = ports::no_log();
  std::chrono::seconds patience{10};  ///< a server that sends nothing for so long is too slow
  std::stop_token cancel = {};
  WaitingForLock waiting = {};
};

/// The id of a run: that of the CI service, the same for all jobs of its workflow; else random.
std::string run_id(const std::map<std::string, std::string>& environment);

/// Opens the store of a run without accessing any place. The credentials of a server are in the
/// variables `PINWHEEL_STORE_USER` and `PINWHEEL_STORE_PASSWORD`, or `PINWHEEL_STORE_TOKEN`, which
/// is sent as a bearer token; servers that a matrix names receive none of them. A netrc file is
/// read for all servers. `usage` for credentials that would be sent without encryption, or that are
/// too short to be hidden in messages. Missing credentials are a fault of the place.
Result<std::unique_ptr<Store>> open_store(const StoreSetup& setup);

}  // namespace pinwheel::host
