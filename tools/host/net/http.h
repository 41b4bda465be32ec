#pragma once
#include <filesystem>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "host/net/http_bounds.h"
#include "ports/http.h"

namespace pinwheel::host {

/// Whether a connection is kept open for the next request to the same server. libcurl resends a
/// request itself if a kept connection turns out to be dead, so only idempotent requests may use
/// one.
enum class Connections { fresh, reused };

struct HttpOptions {
  std::string user_agent = "pinwheel";  ///< "pinwheel/1.2.0"
  /// A file or directory of trusted certificates; empty: as `set_trust` decides.
  std::filesystem::path ca_bundle = {};
  HttpBounds bounds = {};
  Connections connections = Connections::fresh;
  /// A netrc file with credentials by host, for requests without their own; empty: none.
  std::filesystem::path netrc = {};
};

/// The same for a request at the end, even of a stopped run: it lasts only a few seconds.
HttpOptions last_options(HttpOptions options);

/// The certificates named by the user's variables, the first that is set of REQUESTS_CA_BUNDLE,
/// CURL_CA_BUNDLE, SSL_CERT_FILE, SSL_CERT_DIR; else empty.
std::filesystem::path ca_bundle_from(const std::map<std::string, std::string>& environment);

/// The user's netrc file: the one named by NETRC, else ~/.netrc; empty if there is no such file.
std::filesystem::path netrc_from(const std::map<std::string, std::string>& environment);

/// HTTP through libcurl, which is loaded at the first request. HTTP/1.1 (PyPI puts its message in
/// the reason phrase), multipart bodies streamed with a Content-Length, no redirects, http and
/// https only, libcurl's proxy variables. Thread-safe. A stop request on `cancel` ends requests
/// within a second, with kind `interrupted`. A request without a response in time, or that breaks a
/// bound, is `transient`.
class CurlHttp final : public ports::Http {
 public:
  explicit CurlHttp(HttpOptions options = {}, std::stop_token cancel = {});

  tl::expected<ports::HttpResponse, ports::HttpFailure> send(
      const ports::HttpRequest& request) override;
  void wait(std::chrono::milliseconds delay) override;

 private:
  class Handles;

  HttpOptions options_;
  std::stop_token cancel_;
  std::shared_ptr<Handles> handles_;
};

/// The result of a failed libcurl request.
struct CurlEnd {
  int code = 0;             ///< a CURLcode, not CURLE_OK
  long request_bytes = 0;   ///< bytes of request headers sent
  std::string reason = {};  ///< libcurl's text for the code, which contains no secrets
};

}  // namespace pinwheel::host
