#include "host/store/tree_lease.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>
#include <utility>

#include "base/text.h"
#include "host/system/atomic_write.h"
#include "host/system/lock_holder.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kFirstReport{1};
constexpr std::chrono::seconds kNextReport{60};
constexpr std::chrono::milliseconds kLockPause{50};

/// An id of a run as part of a file name.
std::string file_part(const std::string& run) {
  constexpr size_t kMost = 64;
  std::string out;
  for (const char c : run.substr(0, kMost)) out += is_alphanumeric(c) || c == '-' ? c : '_';
  return out;
}

}  // namespace

TreeLease::TreeLease(fs::path root, StoreUser user)
    : root_(std::move(root)), user_(std::move(user)) {}

void TreeLease::open() {
  opened_ = true;
  std::error_code ignored;
  fs::create_directories(root_ / "runs", ignored);
  std::random_device random;
  const fs::path path =
      root_ / "runs" / fmt::format("{}.{:08x}{:08x}", file_part(user_.run), random(), random());
  fd_ = UniqueFd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0644));
  if (!fd_.valid()) return;
  static_cast<void>(::flock(fd_.get(), LOCK_EX | LOCK_NB));
  const nlohmann::ordered_json header = {{"schema", std::string(kLeaseSchema)},
                                         {"run", user_.run},
                                         {"domain", std::string(store::to_string(user_.domain))},
                                         {"publishes", user_.publishes == Publishes::yes}};
  const std::string line =
      header.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  static_cast<void>(write_all(fd_.get(), line));
}

void TreeLease::hold(const store::Address& address) {
  const std::lock_guard lock(mutex_);
  if (!opened_) open();
  if (!fd_.valid() || !held_.insert(address).second) return;
  static_cast<void>(write_all(fd_.get(), address.hex + "\n"));
}

TreeLock::TreeLock(const fs::path& root, Kind kind, const WaitingForLock& waiting,
                   const std::stop_token& stop)
    : fd_(::open((root / "lock").c_str(), O_RDWR | O_NONBLOCK | O_CREAT | O_CLOEXEC, 0644)) {
  if (!fd_.valid()) return;
  const int operation = (kind == Kind::shared ? LOCK_SH : LOCK_EX) | LOCK_NB;
  const auto begin = std::chrono::steady_clock::now();
  std::chrono::seconds next = kFirstReport;
  while (::flock(fd_.get(), operation) != 0) {
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK) return;
    stopped_ = stop.stop_requested();
    if (stopped_) return;
    const auto waited = std::chrono::steady_clock::now() - begin;
    if (waiting && waited >= next) {
      waiting(fmt::format("waiting for {}: {}\n", quoted((root / "lock").string()),
                          holder_of(fd_.get())));
      next += kNextReport;
    }
    std::this_thread::sleep_for(kLockPause);
  }
  // From here on, other messages report how long it is held.
  static_cast<void>(::futimens(fd_.get(), nullptr));
}

}  // namespace pinwheel::host
