#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "base/retries.h"
#include "host/index/upload.h"
#include "host/index/upload_credentials.h"
#include "host/index/upload_lookup.h"

// Shared by the parts of an upload, and private to them.
namespace pinwheel::host {

/// The state of an upload.
struct UploadSession {
  const OpenIndex& target;  ///< of `credentials`
  const UploadOptions& options;
  ports::Http& http;
  const UploadHooks& hooks;
  UploadCredentials& credentials;
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
