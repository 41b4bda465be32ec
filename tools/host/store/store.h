#pragma once
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "host/store/place.h"
#include "ports/log.h"
#include "store/domain.h"
#include "store/place_description.h"
#include "store/stored_result.h"

namespace pinwheel::host {

/// A place of a chain, and what may be done with it.
struct ChainedPlace {
  std::unique_ptr<Place> place;
  store::PlaceAccess access = store::PlaceAccess::read_write;
};

/// What is looked for. With a key, the result that has it. Without, the result of a step of a
/// frozen plan (the sha256 of its file), for a machine that cannot compute the key.
struct WantedResult {
  std::string step;
  std::string key = {};
  std::string plan = {};
};

/// A result that was found. Its blobs are fetched by `materialize`.
struct FoundResult {
  store::StoredResult result;
  std::string place;       ///< the name of the place that has it
  size_t place_index = 0;  ///< of that place, in order
  store::Address address;  ///< where it is
};

/// The places of a run, in order. Reads ask one after the other; writes go to all that may be
/// written, in the background. A place that fails is a warning and counts as one that has nothing;
/// after three faults it is left alone. Thread-safe.
class Store {
 public:
  struct Options {
    store::Domain domain = store::Domain::branch;
    std::string run = "local";  ///< id of this run, for the results that it writes
    ports::LogHandle log = ports::no_log();
  };

  Store(std::vector<ChainedPlace> places, Options options);
  ~Store();  ///< waits for writes, as `finish` does
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  /// The result in the nearest place that has it, of the run's own domain, else of one above it. A
  /// test that was skipped is looked for everywhere, since it may have been finished elsewhere; of
  /// skipped ones the one that shows most.
  /// nullopt if no place has it, or only with bytes that are not what their name says.
  std::optional<FoundResult> find(const WantedResult& wanted);

  /// Makes `target` the file of an output of a found result, with its directory, complete or not at
  /// all, from the first place that has its blob intact. Of a result of the run's own domain,
  /// places before the one where it was found receive what they lack, in the background; nothing is
  /// kept under another domain. An error (kind `transient`, naming the places) means a miss: no
  /// place has it; or (kind `environment`) that it cannot be written, as on a full disk.
  Done materialize(const FoundResult& found, const store::StoredOutput& output,
                   const std::filesystem::path& target);

  /// Keeps a result in every place that may be written, in the background: under its key, and with
  /// `result.plan` under its step of that plan. `files`: the outputs by name, which stay unchanged
  /// until `finish`. The run and the domain of `result.writer` are set to those of the store.
  void keep(store::StoredResult result, const std::map<std::string, std::filesystem::path>& files);

  /// Waits for all writes. The warnings since the last call, each once.
  std::vector<Error> finish();

  /// The places, for messages: "`dir:in`, `https://host/prefix`".
  std::vector<std::string> places_asked() const;

  store::Domain domain() const;
  bool empty() const;  ///< whether there is no place

 private:
  class Chain;
  std::unique_ptr<Chain> chain_;
};

}  // namespace pinwheel::host
