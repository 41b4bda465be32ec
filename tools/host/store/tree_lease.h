#pragma once
#include <filesystem>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

#include "host/system/unique_fd.h"
#include "store/address.h"
#include "store/domain.h"

namespace pinwheel::host {

/// The schema in the first line of a run's file.
constexpr std::string_view kLeaseSchema = "pinwheel-store-run/1";

/// Whether a run publishes what it uses: `gc` keeps that of the last such runs.
enum class Publishes { no, yes };

/// The run that uses a place on disk.
struct StoreUser {
  std::string run;  ///< its id, as in `store::Writer`
  store::Domain domain = store::Domain::branch;
  Publishes publishes = Publishes::no;
};

/// The results that a run found or kept, in a file `runs/RUN.ID` below a place on disk, locked
/// while the run lives: `gc` removes nothing that a living run or one of the last releases needs. A
/// place that cannot have such a file works without. Thread-safe.
class TreeLease {
 public:
  TreeLease(std::filesystem::path root, StoreUser user);

  /// Adds a result, once.
  void hold(const store::Address& address);

 private:
  void open();

  std::filesystem::path root_;
  StoreUser user_;
  std::mutex mutex_;
  UniqueFd fd_;
  bool opened_ = false;
  std::set<store::Address> held_ = {};
};

/// A lock on a place on disk, held while the object lives: runs share it while they write, and from
/// their look at a result until they hold it; `gc` has it alone. Where there are no locks, only the
/// grace time protects.
class TreeLock {
 public:
  enum class Kind { shared, exclusive };
  TreeLock(const std::filesystem::path& root, Kind kind);

 private:
  UniqueFd fd_;
};

}  // namespace pinwheel::host
