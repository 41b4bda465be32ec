#include "host/get_remote.h"

#include <fmt/format.h>

#include <chrono>
#include <thread>

#include "base/text.h"
#include "base/url.h"
#include "publish/reply.h"

namespace pinwheel::host {
namespace {

constexpr int kMostHops = 5;
constexpr int kAttempts = 3;
constexpr int kTooManyRequests = 429;
constexpr int kServerFaults = 500;

bool may_pass(int status) {
  return status == kTooManyRequests || status >= kServerFaults;
}

ports::HttpRequest request_for(const RemoteAccess& access, const std::string& url) {
  ports::HttpRequest request;
  request.url = url;
  request.timeout = std::chrono::hours(4);  // a server that stalls is left sooner
  if (access.credentials && same_server(access.origin, url)) {
    request.credentials = access.credentials;
  }
  return request;
}

}  // namespace

Result<RemoteReply> get_remote(const RemoteAccess& access, const std::string& start,
                               const std::function<void(ports::HttpRequest&)>& prepare) {
  std::string url = start;
  int attempt = 1;
  for (int hop = 0; hop <= kMostHops;) {
    ports::HttpRequest request = request_for(access, url);
    prepare(request);
    auto reply = access.http.send(request);
    const bool again =
        reply ? may_pass(reply->status) : reply.error().error.kind == ErrorKind::transient;
    if (again && attempt < kAttempts) {
      std::this_thread::sleep_for(std::chrono::seconds(attempt++));
      continue;
    }
    if (!reply) return fail(std::move(reply).error().error);
    const std::string next = publish::is_redirect(reply->status)
                                 ? resolve_url(url, publish::header(*reply, "location"))
                                 : std::string();
    const bool safe = same_server(url, next) || next.starts_with("https://");
    if (next.empty() || !safe) return RemoteReply{url, *std::move(reply)};
    url = next;
    ++hop;
  }
  return fail(ErrorKind::config,
              fmt::format("{} leads from one address to another without an end", quoted(start)));
}

Error unexpected_answer(const RemoteReply& answer) {
  return {may_pass(answer.reply.status) ? ErrorKind::transient : ErrorKind::config,
          std::string(trim(fmt::format("{} answered {} {}", quoted(answer.url), answer.reply.status,
                                       answer.reply.reason))),
          std::nullopt,
          {},
          {}};
}

}  // namespace pinwheel::host
