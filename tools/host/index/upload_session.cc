#include "host/index/upload_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/backoff.h"
#include "base/digest.h"

namespace pinwheel::host {

namespace {

/// As they are, and as they were sent.
std::string without(std::string_view text, const ports::BasicCredentials& credentials) {
  const std::string& password = credentials.password.reveal();
  const Secret wire(base64(credentials.user + ":" + password));
  return redact(redact(text, credentials.password), wire);
}

}  // namespace

std::string redacted(std::string text, const OpenIndex& target) {
  if (target.credentials) text = without(text, *target.credentials);
  for (const ports::BasicCredentials& each : target.earlier) text = without(text, each);
  return text;
}

Error redacted(Error error, const OpenIndex& target) {
  error.message = redacted(std::move(error.message), target);
  error.hint = redacted(std::move(error.hint), target);
  for (Error& cause : error.causes) cause = redacted(std::move(cause), target);
  return error;
}

void tell(const UploadSession& session, const publish::UploadEvent& event) {
  if (session.hooks.event) session.hooks.event(event);
}

void notice_retry(const UploadSession& session, const Error& reason) {
  if (!session.hooks.notice) return;
  session.hooks.notice(redacted(fmt::format("{}; trying again", reason.message), session.target));
}

Done wait(const UploadSession& session, int attempt,
          std::optional<std::chrono::milliseconds> asked) {
  const double jitter = session.hooks.jitter ? session.hooks.jitter() : 0;
  const UploadOptions& options = session.options;
  std::chrono::milliseconds delay =
      backoff(attempt, options.backoff_min, options.backoff_max, jitter);
  if (asked) delay = std::min(std::max(delay, *asked), options.backoff_max);
  if (session.hooks.sleep(delay)) return {};
  return fail(ErrorKind::interrupted, "publishing was stopped while it waited");
}

Done keep_fresh(const UploadSession& session) {
  return patiently<void>(session, [&] { return session.credentials.renew(); });
}

Result<Holding> look_up_once(const UploadSession& session, const publish::Artifact& file) {
  TRY(const std::vector<publish::IndexFile> page,
      read_project(session.target, file.name, session.http));
  return look_up(file, page, session.target, session.http);
}

Result<Holding> look_up_now(const UploadSession& session, const publish::Artifact& file) {
  TRY_DONE(keep_fresh(session));
  return patiently<Holding>(session, [&] { return look_up_once(session, file); });
}

}  // namespace pinwheel::host
