#include "host/index/upload_session.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/retries.h"

namespace pinwheel::host {

void notify(const UploadSession& session, const publish::UploadEvent& event) {
  if (session.hooks.event) session.hooks.event(event);
}

void notice_retry(const UploadSession& session, const Error& reason) {
  if (!session.hooks.notice) return;
  session.hooks.notice(
      hidden_of(session.target).mask(fmt::format("{}; trying again", reason.message)));
}

Done wait(const UploadSession& session, int attempt,
          std::optional<std::chrono::milliseconds> asked) {
  const double jitter = session.hooks.jitter ? session.hooks.jitter() : 0;
  const UploadOptions& options = session.options;
  std::chrono::milliseconds delay =
      backoff(attempt, options.backoff_min, options.backoff_max, jitter);
  if (asked) delay = std::min(std::max(delay, *asked), options.backoff_max);
  const bool waited = session.turns.waiting([&] { return session.hooks.sleep(delay); });
  if (waited) return {};
  return fail(ErrorKind::interrupted, "publishing was stopped while it waited");
}

Done ensure_fresh(const UploadSession& session) {
  return patiently<void>(session, [&] { return session.credentials.renew(); });
}

Result<FileLookup> look_up_once(const UploadSession& session, const publish::Artifact& file) {
  TRY(const std::vector<publish::IndexFile> page,
      read_project(session.target, file.name, session.http));
  return look_up(file, page, session.target, session.http);
}

Result<FileLookup> look_up_now(const UploadSession& session, const publish::Artifact& file) {
  TRY_DONE(ensure_fresh(session));
  return patiently<FileLookup>(session, [&] { return look_up_once(session, file); });
}

}  // namespace pinwheel::host
