#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/url.h"
#include "ports/http.h"

namespace pinwheel::host {

/// A URL, with its credentials split off.
struct RemoteAddress {
  std::string url;
  std::optional<ports::BasicCredentials> credentials = std::nullopt;
};
/// nullopt for anything but an http or https URL.
std::optional<RemoteAddress> parse_address(std::string_view text);

/// A server to read files and pages from.
struct RemoteAccess {
  ports::Http& http;
  /// Sent only to the server of `origin`.
  std::optional<ports::BasicCredentials> credentials = std::nullopt;
  std::string origin = {};
};

struct RemoteReply {
  std::string url;  ///< after redirects: links are relative to it
  ports::HttpResponse reply;
};

/// Whether to follow a redirect from one URL to another.
using FollowRule = bool (*)(std::string_view from, std::string_view to);
/// Allows redirects to the same server, and to any https server.
bool safe_to_follow(std::string_view from, std::string_view to);
/// Allows all redirects except from https to http.
bool is_no_downgrade(std::string_view from, std::string_view to);

/// Redirect and retry policy of a request.
struct RemoteManner {
  FollowRule follow = safe_to_follow;
  /// Transient failures (no response, a busy server) are retried after one second, then two.
  int attempts = 3;
  ErrorKind endless = ErrorKind::config;  ///< kind of error for too many redirects
};

/// The response to a GET after redirects, with any status; a redirect that may not be followed is
/// returned like any other response. `prepare` is called with each request before it is sent.
Result<RemoteReply> get_remote(const RemoteAccess& access, const std::string& url,
                               const std::function<void(ports::HttpRequest&)>& prepare,
                               const RemoteManner& manner = {});

/// "`URL` answered 404 Not Found": `transient` if a retry may help, else `config`.
Error unexpected_answer(const RemoteReply& answer);

}  // namespace pinwheel::host
