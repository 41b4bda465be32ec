#pragma once
#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "ports/http.h"

namespace pinwheel::host {

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

/// The reply to a GET at the end of the redirections, which are never followed from https to http;
/// of any status. `prepare` gets each request before it is sent. Faults that may pass (no answer, a
/// busy server) are tried again twice, after a second and after two.
Result<RemoteReply> get_remote(const RemoteAccess& access, const std::string& url,
                               const std::function<void(ports::HttpRequest&)>& prepare);

/// "`URL` answered 404 Not Found": `transient` when asking again may help, else `config`.
Error unexpected_answer(const RemoteReply& answer);

}  // namespace pinwheel::host
