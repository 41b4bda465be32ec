#pragma once
#include <filesystem>
#include <functional>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>

#include "host/system/unique_fd.h"
#include "store/address.h"
#include "store/domain.h"

namespace pinwheel::host {

/// The schema in the first line of a run's file.
constexpr std::string_view kLeaseSchema = "pinwheel-store-run/1";

/// Whether a run publishes the entries that it uses: `gc` does not remove those of the last such
/// runs.
enum class Publishes { no, yes };

/// The run that uses a place on disk.
struct StoreUser {
  std::string run;  ///< its id, as in `store::Writer`
  store::Domain domain = store::Domain::branch;
  Publishes publishes = Publishes::no;
};

/// The entries that a run found or wrote, in a file `runs/RUN.ID` below a place on disk, locked
/// while the run is alive: `gc` removes nothing that a running run or one of the last releases
/// needs. A place in which no such file can be created works without. Thread-safe.
class TreeLease {
 public:
  TreeLease(std::filesystem::path root, StoreUser user);

  /// Adds an entry, once.
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

/// Called with a line about a lock that another process holds, after a second and then each minute,
/// with its owner and the time. May be empty. On the waiting thread.
using WaitingForLock = std::function<void(const std::string& line)>;

/// A lock on a place on disk, held while the object exists: runs share it while they write, and
/// from their lookup of an entry until they lease it; `gc` has it exclusively. On file systems
/// without locks, only the grace time protects. A stop request ends the waiting without the lock.
class TreeLock {
 public:
  enum class Kind { shared, exclusive };
  TreeLock(const std::filesystem::path& root, Kind kind, const WaitingForLock& waiting = {},
           const std::stop_token& stop = {});

  /// Whether a stop request arrived while another process had the lock.
  bool stopped() const { return stopped_; }

 private:
  UniqueFd fd_;
  bool stopped_ = false;
};

}  // namespace pinwheel::host
