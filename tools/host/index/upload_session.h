#pragma once
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "base/retries.h"
#include "host/index/upload.h"
#include "host/index/upload_credentials.h"
#include "host/index/upload_lookup.h"

// Shared by the parts of an upload, and private to them.
namespace pinwheel::host {

/// What the threads of an upload share. Each of them holds the lock all the time, except while it
/// sends a file or waits, so everything else happens one after another.
class UploadTurns {
 public:
  /// At most `most` files are sent at the same time.
  explicit UploadTurns(size_t most) : most_(most) {}

  using Lock = std::unique_lock<std::mutex>;
  Lock lock() { return Lock(mutex_); }

  struct EndTurn {
    void operator()(UploadTurns* turns) const {
      --turns->sending_;
      turns->changed_.notify_all();
    }
  };
  /// One of the files that are being sent; it ends with the lock held.
  using Turn = std::unique_ptr<UploadTurns, EndTurn>;

  /// Call these with the lock held. Waits until few enough files are being sent; the error of
  /// `give_up` if a file failed.
  Result<Turn> begin() {
    Lock lock(mutex_, std::adopt_lock);
    changed_.wait(lock, [this] { return failure_ || sending_ < most_; });
    lock.release();
    TRY_DONE(go_on());
    ++sending_;
    return Turn(this);
  }
  /// Waits without the lock.
  template <class Wait>
  auto waiting(const Wait& wait) {
    const Released released(mutex_);
    return wait();
  }
  /// From now on only one file is sent at a time: the index is busy.
  void slow_down() { most_ = 1; }
  /// A file cannot be published, so no other one is sent or retried. Only the first error counts:
  /// those of the others may be results of it.
  void give_up(const Error& error) {
    if (!failure_) failure_ = error;
    changed_.notify_all();
  }
  /// The error of `give_up`, if any.
  Done go_on() const {
    if (failure_) return fail(*failure_);
    return {};
  }

 private:
  struct Released {
    explicit Released(std::mutex& held) : mutex(held) { mutex.unlock(); }
    ~Released() { mutex.lock(); }
    Released(const Released&) = delete;
    Released& operator=(const Released&) = delete;
    std::mutex& mutex;
  };

  std::mutex mutex_;
  std::condition_variable changed_;
  size_t most_;  ///< guarded by mutex_, as everything below
  size_t sending_ = 0;
  std::optional<Error> failure_;
};

/// The state of an upload. Its users hold the lock of `turns`.
struct UploadSession {
  const OpenIndex& target;  ///< of `credentials`
  const UploadOptions& options;
  ports::Http& http;
  const UploadHooks& hooks;
  UploadCredentials& credentials;
  UploadTurns& turns;
};

void notify(const UploadSession& session, const publish::UploadEvent& event);
/// Reports why the next attempt is made.
void notice_retry(const UploadSession& session, const Error& reason);

/// Waits before the next attempt; `asked` is the delay requested by the server, which is capped
/// too. Kind `interrupted` if the run is stopped meanwhile.
Done wait(const UploadSession& session, int attempt,
          std::optional<std::chrono::milliseconds> asked);

/// Retries a read request while it fails with a transient error.
template <class T, class Read>
Result<T> patiently(const UploadSession& session, const Read& read) {
  Done waited;
  const auto again = [](const Result<T>& result) {
    return !result && result.error().kind == ErrorKind::transient;
  };
  const auto wait_for_next = [&](int attempt, const Result<T>& result) {
    notice_retry(session, result.error());
    waited = wait(session, attempt, std::nullopt);
    return waited.has_value();
  };
  Result<T> last = with_retries(session.options.attempts, read, again, wait_for_next);
  return waited ? std::move(last) : Result<T>(tl::unexpected(waited.error()));
}

/// Renews the credentials if they are about to expire, with retries.
Done ensure_fresh(const UploadSession& session);

/// Looks up the file in the index right now, without retries; `look_up_now` has some.
Result<FileLookup> look_up_once(const UploadSession& session, const publish::Artifact& file);
Result<FileLookup> look_up_now(const UploadSession& session, const publish::Artifact& file);

}  // namespace pinwheel::host
