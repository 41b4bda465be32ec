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

/// Whether a run publishes what it uses: `gc` does not remove the entries of the last such runs.
enum class Publishes { no, yes };

/// The run that uses a place on disk.
struct StoreUser {
  std::string run;  ///< its id, as in `store::Writer`
  store::Domain domain = store::Domain::branch;
  Publishes publishes = Publishes::no;
};

/// The entries that a run found or wrote, in a file `runs/RUN.ID` below a place on disk, locked
/// while the run lives: `gc` removes nothing that a living run or one of the last releases needs. A
/// place that cannot have such a file works without. Thread-safe.
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

/// Called with a line about a lock that somebody else holds, after a second and then each minute:
/// who holds it, and for how long. May be empty. On the thread that waits.
using WaitingForLock = std::function<void(const std::string& line)>;

/// A lock on a place on disk, held while the object lives: runs share it while they write, and from
/// their look at an entry until they hold it; `gc` has it alone. Where there are no locks, only the
/// grace time protects. A stop request ends the waiting without the lock.
class TreeLock {
 public:
  enum class Kind { shared, exclusive };
  TreeLock(const std::filesystem::path& root, Kind kind, const WaitingForLock& waiting = {},
           const std::stop_token& stop = {});

  /// Whether a stop request came while somebody else had the lock.
  bool stopped() const { return stopped_; }

 private:
  UniqueFd fd_;
  bool stopped_ = false;
};

}  // namespace pinwheel::host
