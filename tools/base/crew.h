#pragma once
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace pinwheel {

class Relay;

/// Threads that run jobs together. A job may hand over pieces of its work (`Relay`) to any idle
/// thread. One lock guards everything: processing a piece takes long, compared with locking.
class Crew {
 public:
  using Lock = std::unique_lock<std::mutex>;

  Lock lock() { return Lock(mutex_); }
  /// Waits until something may have changed: a piece was handed over or processed, or `announce`
  /// was called.
  void wait(Lock& lock) { changed_.wait(lock); }
  void announce() { changed_.notify_all(); }
  /// Processes a piece of the longest relay that has one, with the lock released meanwhile; only of
  /// relays before `than`, if it is set. Returns whether there was a piece.
  bool help(Lock& lock, const Relay* than = nullptr);

 private:
  friend class Relay;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Relay*> relays_;  ///< the longest first
};

/// The pieces of data of one job, passed to a function that processes them in order, one at a time,
/// on any thread of the crew. So a long job uses a single thread for work that cannot be divided,
/// such as inflating, while other threads do the rest.
class Relay {
 public:
  using Process = std::function<void(std::string_view)>;

  /// `length` is the total that will be handed over: the longest relay is helped first, because its
  /// job ends last. `process` must not use the crew.
  Relay(Crew& crew, uint64_t length, Process process);
  /// Drops the pieces that were not processed.
  ~Relay();
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  /// A used buffer for the next piece, if there is one; its contents are unspecified.
  std::string buffer();
  /// Hands over the next piece. Helps longer relays, and processes pieces of this one if the
  /// maximum number waits. Rethrows exceptions of `process`.
  void push(std::string piece);
  /// Returns when all pieces have been processed. Rethrows exceptions of `process`.
  void finish();

 private:
  friend class Crew;

  bool has_work() const { return !is_busy_ && !waiting_.empty(); }
  void process_next(Crew::Lock& lock);
  void process_until(size_t most_waiting, Crew::Lock& lock);

  Crew& crew_;
  uint64_t length_;
  Process process_;
  std::deque<std::string> waiting_;
  std::vector<std::string> used_;
  bool is_busy_ = false;  ///< a thread processes a piece
  std::exception_ptr failure_;
};

}  // namespace pinwheel
