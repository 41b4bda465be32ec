#include "host/net/http_failure.h"

#include <curl/curl.h>
#include <fmt/format.h>

#include "base/text.h"
#include "base/url.h"

namespace pinwheel::host {

namespace {

ErrorKind kind_of(int code) {
  switch (code) {
    case CURLE_ABORTED_BY_CALLBACK:
      return ErrorKind::interrupted;
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_URL_MALFORMAT:
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_READ_ERROR:
    case CURLE_OUT_OF_MEMORY:
      return ErrorKind::environment;
    default:
      return ErrorKind::transient;
  }
}

std::string hint_of(int code) {
  switch (code) {
    case CURLE_COULDNT_RESOLVE_PROXY:
      return "check HTTPS_PROXY, HTTP_PROXY and ALL_PROXY";
    case CURLE_COULDNT_RESOLVE_HOST:
      return "check the host name and this machine's network";
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_CACERT_BADFILE:
      return "set SSL_CERT_FILE to a file of trusted certificates";
    default:
      return {};
  }
}

/// What libcurl says when it gives up on a reply in the middle: 0.9 instead of HTTP, headers
/// without end. The request did arrive.
bool is_malformed_reply(const CurlEnd& end) {
  if (end.request_bytes == 0) return false;
  constexpr int kTooLarge = 100;  // CURLE_TOO_LARGE, since 8.6
  return end.code == CURLE_UNSUPPORTED_PROTOCOL || end.code == CURLE_OUT_OF_MEMORY ||
         end.code == CURLE_WEIRD_SERVER_REPLY || end.code == kTooLarge;
}

}  // namespace

ports::HttpFailure http_failure(const CurlEnd& end, std::string_view url) {
  const std::optional<UrlParts> parts = split_url(url);
  const std::string host = parts ? parts->host : std::string(url);
  Error error{kind_of(end.code),
              fmt::format("no answer from {}: {}", quoted(host), end.reason),
              std::nullopt,
              hint_of(end.code),
              {}};
  if (error.kind == ErrorKind::interrupted) {
    error.message = fmt::format("the request to {} was stopped", quoted(host));
  }
  if (is_malformed_reply(end)) {
    error.kind = ErrorKind::transient;
    error.message = fmt::format("the answer of {} is malformed: {}", quoted(host), end.reason);
  }
  return {std::move(error), end.request_bytes > 0 ? ports::Sent::perhaps : ports::Sent::nothing};
}

}  // namespace pinwheel::host
