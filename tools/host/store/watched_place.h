#pragma once
#include <chrono>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "host/store/store.h"

namespace pinwheel::host {

/// Warnings of a store, each once.
class StoreWarnings {
 public:
  void add(Error warning);
  /// Those since the last call.
  std::vector<Error> take();

 private:
  std::mutex mutex_;
  std::vector<Error> warnings_ = {};
  std::vector<std::string> seen_ = {};
};

/// A place whose faults are warnings. After three while reading it is not read any more in this
/// run, after three while writing not written to; a fault counts as if the place had nothing. One
/// on another machine that was slow once, with a fault or with a record, is left alone at once:
/// each step would wait for it again.
class WatchedPlace {
 public:
  using Now = std::function<std::chrono::steady_clock::time_point()>;
  /// How long a place may take to say that it cannot, or to give a record.
  static constexpr std::chrono::seconds kSlow{4};

  WatchedPlace(ChainedPlace chained, StoreWarnings& warnings, ports::LogHandle log,
               Now now = std::chrono::steady_clock::now);

  std::string name() const { return place_->name(); }
  bool may_be_written() const { return access_ == store::PlaceAccess::read_write; }
  std::optional<std::filesystem::path> path_of(const store::Blob& blob) {
    return place_->path_of(blob);
  }

  /// The result at an address, if it was written there for this domain, and is what was wanted.
  std::optional<store::StoredResult> find(const store::Address& address, store::Domain domain,
                                          const WantedResult& wanted);
  /// As `Place::fetch`. A disk of this machine that is full is a fault, and none of the place.
  PlaceResult<bool> fetch(const store::Blob& blob, const std::filesystem::path& target);
  void put(const std::vector<store::Address>& addresses, const store::StoredResult& result,
           const BlobFiles& files);

 private:
  enum class Use { reading, writing };
  bool is_left_alone(Use use) const;
  void failed(Use use, const PlaceFault& failure, std::chrono::steady_clock::time_point begin);
  void leave_alone(std::chrono::steady_clock::time_point begin);

  std::unique_ptr<Place> place_;
  store::PlaceAccess access_;
  StoreWarnings& warnings_;
  ports::LogHandle log_;
  Now now_;
  mutable std::mutex mutex_;
  bool slow_ = false;
  int reading_faults_ = 0;
  int writing_faults_ = 0;
};

}  // namespace pinwheel::host
