#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/url.h"
#include "ports/http.h"

namespace pinwheel::host {

/// An address without what signs in, and that apart.
struct RemoteAddress {
  std::string url;
  std::optional<ports::BasicCredentials> credentials = std::nullopt;
};
/// nullopt for what is no http or https address.
std::optional<RemoteAddress> parse_address(std::string_view text);

/// A server that files and pages are read from.
struct RemoteAccess {
  ports::Http& http;
  /// Sent to the server of `origin` and to no other.
  std::optional<ports::BasicCredentials> credentials = std::nullopt;
  std::string origin = {};
};

struct RemoteReply {
  std::string url;  ///< after redirections: links are relative to it
  ports::HttpResponse reply;
};

/// From one address to another: whether a redirection is followed.
using FollowRule = bool (*)(std::string_view from, std::string_view to);
/// To the same server, and to any other that speaks https.
bool safe_to_follow(std::string_view from, std::string_view to);
/// Anywhere, but never from https to http.
bool keeps_https(std::string_view from, std::string_view to);

/// How patiently an address is asked.
struct RemoteManner {
  FollowRule follow = safe_to_follow;
  /// Faults that may pass (no answer, a busy server) are tried again after a second, then after
  /// two.
  int attempts = 3;
  ErrorKind endless = ErrorKind::config;  ///< what redirections without an end are
};

/// The reply to a GET at the end of the redirections, of any status; one that may not be followed
/// is a reply like any other. `prepare` gets each request before it is sent.
Result<RemoteReply> get_remote(const RemoteAccess& access, const std::string& url,
                               const std::function<void(ports::HttpRequest&)>& prepare,
                               const RemoteManner& manner = {});

/// "`URL` answered 404 Not Found": `transient` when asking again may help, else `config`.
Error unexpected_answer(const RemoteReply& answer);

}  // namespace pinwheel::host
