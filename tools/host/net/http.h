#pragma once
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <stop_token>
#include <string>

#include "ports/http.h"

namespace pinwheel::host {

/// Whether a connection is left open for the next request to the same server. libcurl sends a
/// request again by itself when a kept connection turns out to be dead, so only requests that may
/// arrive twice can have kept ones.
enum class Connections { fresh, kept };

struct HttpOptions {
  std::string user_agent = "pinwheel";  ///< "pinwheel/1.2.0"
  /// A file or directory of certificates to trust; empty: the system's.
  std::filesystem::path ca_bundle = {};
  /// A request that moves no byte for that long is given up (whole seconds; 0: never). It covers
  /// the time in which an index works on a file that it has received.
  std::chrono::seconds stall = std::chrono::minutes(5);
  Connections connections = Connections::fresh;
  /// The file of names and passwords by host, for requests that carry no credentials; empty: none.
  std::filesystem::path netrc = {};
};

/// The certificates that the user's variables name: REQUESTS_CA_BUNDLE, CURL_CA_BUNDLE,
/// SSL_CERT_FILE, SSL_CERT_DIR, the first that is set; else empty.
std::filesystem::path ca_bundle_from(const std::map<std::string, std::string>& environment);

/// The user's: what NETRC names, else ~/.netrc; empty when there is no such file.
std::filesystem::path netrc_from(const std::map<std::string, std::string>& environment);

/// HTTP by libcurl, loaded at the first request. HTTP/1.1 (PyPI's message stands in the reason
/// phrase), multipart bodies streamed with their Content-Length, no redirects, http and https only,
/// the proxy variables of libcurl. May be used from several threads. A request to stop `cancel`
/// ends requests within a second, with kind `interrupted`.
class CurlHttp final : public ports::Http {
 public:
  explicit CurlHttp(HttpOptions options = {}, std::stop_token cancel = {});

  tl::expected<ports::HttpResponse, ports::HttpFailure> send(
      const ports::HttpRequest& request) override;

 private:
  class Handles;

  HttpOptions options_;
  std::stop_token cancel_;
  std::shared_ptr<Handles> handles_;
};

}  // namespace pinwheel::host
