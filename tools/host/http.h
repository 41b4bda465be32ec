#pragma once
#include <chrono>
#include <filesystem>
#include <map>
#include <stop_token>
#include <string>

#include "ports/http.h"

namespace pinwheel::host {

struct HttpOptions {
  std::string user_agent = "pinwheel";  ///< "pinwheel/1.2.0"
  /// A file or directory of certificates to trust; empty: the system's.
  std::filesystem::path ca_bundle = {};
  /// A request that moves no byte for that long is given up (whole seconds; 0: never). It covers
  /// the time in which an index works on a file that it has received.
  std::chrono::seconds stall = std::chrono::minutes(5);
};

/// The certificates that the user's variables name: REQUESTS_CA_BUNDLE, CURL_CA_BUNDLE,
/// SSL_CERT_FILE, SSL_CERT_DIR, the first that is set; else empty.
std::filesystem::path ca_bundle_from(const std::map<std::string, std::string>& environment);

/// HTTP by libcurl, loaded at the first request. Each request has a connection of its own, because
/// libcurl sends again by itself when a kept connection turns out to be dead, and an upload must
/// never be sent twice unasked. HTTP/1.1 (PyPI's message stands in the reason phrase), multipart
/// bodies streamed with their Content-Length, no redirects, http and https only, the proxy
/// variables of libcurl. May be used from several threads. A request to stop `cancel` ends requests
/// within a second, with kind `interrupted`.
class CurlHttp final : public ports::Http {
 public:
  explicit CurlHttp(HttpOptions options = {}, std::stop_token cancel = {});

  tl::expected<ports::HttpResponse, ports::HttpFailure> send(
      const ports::HttpRequest& request) override;

 private:
  HttpOptions options_;
  std::stop_token cancel_;
};

}  // namespace pinwheel::host
