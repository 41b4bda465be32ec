#pragma once
#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "host/store/place.h"
#include "ports/log.h"
#include "store/domain.h"
#include "store/entry.h"
#include "store/place_description.h"

namespace pinwheel::host {

/// A place of a store, and its access.
struct StorePlace {
  std::unique_ptr<Place> place;
  store::PlaceAccess access = store::PlaceAccess::read_write;
};

/// The query for an entry. With a key, the entry that has it. Without, the entry of a step of a
/// frozen plan (the sha256 of its file), for a machine that cannot compute the key.
struct EntryQuery {
  std::string step;
  std::string key = {};
  std::string plan = {};
};

/// An entry that was found. Its blobs are fetched by `Store::fetch`.
struct FoundEntry {
  store::Entry entry;
  std::string place;       ///< the name of the place that has it
  size_t place_index = 0;  ///< of that place, in order
  store::Address address;  ///< its address
};

/// The places of a run, in order. Reads query one after the other; writes go to all writable ones,
/// in the background. Thread-safe.
///
/// A fault of a place is a warning and counts as if the place were empty. After three faults while
/// reading it is not read any more in this run; after three while writing it is not written any
/// more. A place on another machine that was slow once, with a fault or with an entry, is disabled
/// at once, because each step would wait for it again.
class Store {
 public:
  /// The time limit for a place on another machine to return a fault or an entry.
  static constexpr std::chrono::seconds kSlow{4};

  struct Options {
    store::Domain domain = store::Domain::branch;
    std::string run = "local";  ///< id of this run, for the entries that it writes
    ports::LogHandle log = ports::no_log();
    std::function<std::chrono::steady_clock::time_point()> now = std::chrono::steady_clock::now;
  };

  Store(std::vector<StorePlace> places, Options options);
  ~Store();  ///< waits for writes, as `finish` does
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  /// The entry in the nearest place that has it, of the run's own domain, else of one above it. If
  /// a test was skipped, all places are searched, since it may have run elsewhere; of several
  /// skipped entries the one with the strongest evidence. nullopt if no place has it, or only with
  /// bytes that do not match their name.
  std::optional<FoundEntry> find(const EntryQuery& query);

  /// Makes `target` the file of a blob of a found entry, with its directory, complete or not at
  /// all, from the first place that has it intact. If the entry is of the run's own domain, it is
  /// copied in the background to the places before the one where it was found; nothing is written
  /// under another domain. An error (kind `transient`, naming the places) means a miss: no place
  /// has it; or (kind `environment`) that it cannot be written, as on a full disk.
  Done fetch(const FoundEntry& found, const store::NamedBlob& blob,
             const std::filesystem::path& target);

  /// Makes `target` the file of a blob, complete or not at all, from the first place that has it
  /// intact; false if none has. Its directory exists. An error means that a place did not respond
  /// and may have it (kind `transient`), or that it cannot be written (kind `environment`).
  Result<bool> fetch_blob(const store::Blob& blob, const std::filesystem::path& target);

  /// Writes an entry to every writable place, in the background: under its key, and with
  /// `entry.plan` under its step of that plan. `files`: the blobs by name, which must not change
  /// until `finish`. The run and the domain of `entry.writer` are set to those of the store.
  void put(store::Entry entry, const std::map<std::string, std::filesystem::path>& files);

  /// Waits for all writes. The warnings since the last call, each once.
  std::vector<Error> finish();

  /// The places, for messages: "`dir:in`, `https://host/prefix`".
  std::vector<std::string> queried_places() const;

  store::Domain domain() const { return options_.domain; }
  bool empty() const { return places_.empty(); }  ///< whether there is no place

 private:
  using Time = std::chrono::steady_clock::time_point;
  enum class Use { reading, writing };
  /// A place with its faults in this run.
  struct Member {
    std::unique_ptr<Place> place;
    store::PlaceAccess access;
    bool slow = false;
    int reading_faults = 0;
    int writing_faults = 0;

    bool may_be_written() const { return access == store::PlaceAccess::read_write; }
    int& faults(Use use) { return use == Use::reading ? reading_faults : writing_faults; }
  };
  class Background;

  /// The first finished entry; if a test was skipped everywhere, the one with the strongest
  /// evidence.
  std::optional<FoundEntry> look_for(const EntryQuery& query);
  /// The entry of a place at an address, if it was written there for this domain and matches the
  /// query.
  std::optional<store::Entry> find_in(Member& member, const store::Address& address,
                                      store::Domain domain, const EntryQuery& query);
  /// As `Place::fetch`, with a warning for each fault of the place. A full disk of this machine is
  /// a fault, but not of the place. `unreachable` if the place is not used any more.
  PlaceResult<bool> fetch_from(Member& member, const store::Blob& blob,
                               const std::filesystem::path& target);
  /// Copies an entry of the run's own domain to the places before the one that had it, once all its
  /// files are on this machine.
  void fill(const FoundEntry& found, const BlobFiles& files);
  void put_in(Member& member, const std::vector<store::Address>& addresses,
              const store::Entry& entry, const BlobFiles& files);

  bool is_left_alone(Member& member, Use use);
  void leave_alone(Member& member, Time begin);
  void failed(Member& member, Use use, const PlaceFault& failure, Time begin);
  void warn(Error warning);

  Options options_;
  std::vector<Member> places_ = {};
  std::mutex mutex_;  ///< guards the faults of places and what follows
  std::vector<Error> warnings_ = {};
  std::vector<std::string> warned_ = {};
  /// Entries with some files on this machine, by address; for `fill`.
  std::map<store::Address, BlobFiles> arriving_ = {};
  std::unique_ptr<Background> background_;  ///< last: its tasks use the others
};

}  // namespace pinwheel::host
