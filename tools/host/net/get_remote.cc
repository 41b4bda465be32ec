#include "host/net/get_remote.h"

#include <fmt/format.h>

#include <chrono>

#include "base/mask.h"
#include "base/retries.h"
#include "base/text.h"
#include "base/url.h"
#include "publish/reply.h"

namespace pinwheel::host {
namespace {

constexpr int kMostHops = 5;
constexpr int kTooManyRequests = 429;
constexpr int kServerFaults = 500;

bool may_pass(int status) {
  return status == kTooManyRequests || status >= kServerFaults;
}

ports::HttpRequest request_for(const RemoteAccess& access, const std::string& url) {
  ports::HttpRequest request;
  request.url = url;
  if (access.credentials && same_server(access.origin, url)) {
    request.credentials = access.credentials;
  }
  return request;
}

using Answer = tl::expected<ports::HttpResponse, ports::HttpFailure>;

bool is_worth_another(const Answer& answer) {
  return answer ? may_pass(answer->status) : answer.error().error.kind == ErrorKind::transient;
}

}  // namespace

std::optional<RemoteAddress> parse_address(std::string_view text) {
  const std::optional<UrlParts> parts = split_url(text);
  if (!parts || (parts->scheme != "https" && parts->scheme != "http")) return std::nullopt;
  RemoteAddress address{std::string(text)};
  if (parts->userinfo.empty()) return address;
  const size_t colon = parts->userinfo.find(':');
  const bool has_password = colon != std::string::npos;
  address.credentials = ports::BasicCredentials{
      decode_percent(parts->userinfo.substr(0, colon)),
      Secret(has_password ? decode_percent(parts->userinfo.substr(colon + 1)) : std::string())};
  address.url = fmt::format("{}://{}{}", parts->scheme, parts->host, parts->path);
  return address;
}

bool safe_to_follow(std::string_view from, std::string_view to) {
  return same_server(from, to) || to.starts_with("https://");
}

bool is_no_downgrade(std::string_view from, std::string_view to) {
  return to.starts_with("https://") || !from.starts_with("https://");
}

Result<RemoteReply> get_remote(const RemoteAccess& access, const std::string& start,
                               const std::function<void(ports::HttpRequest&)>& prepare,
                               const RemoteManner& manner) {
  std::string url = start;
  int attempt = 1;  // of all requests together
  for (int hop = 0; hop <= kMostHops; ++hop) {
    const auto send = [&] {
      ports::HttpRequest request = request_for(access, url);
      prepare(request);
      return access.http.send(request);
    };
    const auto wait = [&](int /*count*/, const Answer& /*answer*/) {
      access.http.wait(std::chrono::seconds(attempt++));
      return true;
    };
    Answer reply = with_retries(manner.attempts - attempt + 1, send, is_worth_another, wait);
    if (!reply) return fail(std::move(reply).error().error);
    const std::string next = publish::is_redirect(reply->status)
                                 ? resolve_url(url, publish::header(*reply, "location"))
                                 : std::string();
    if (next.empty() || !manner.follow(url, next)) return RemoteReply{url, *std::move(reply)};
    url = next;
  }
  return fail(manner.endless, fmt::format("{} redirects too many times", quoted_url(start)));
}

Error unexpected_answer(const RemoteReply& answer) {
  return {may_pass(answer.reply.status) ? ErrorKind::transient : ErrorKind::config,
          std::string(trim(fmt::format("{} answered {} {}", quoted_url(answer.url),
                                       answer.reply.status, answer.reply.reason))),
          std::nullopt,
          {},
          {}};
}

}  // namespace pinwheel::host
