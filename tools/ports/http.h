#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/limits.h"
#include "base/result.h"
#include "base/secret.h"
#include "ports/byte_source.h"

namespace pinwheel::ports {

struct BasicCredentials {
  std::string user;
  Secret password;
};

/// One part of a multipart/form-data body, in the order it is sent.
struct FormField {
  std::string name;
  std::string value;
};
struct FormFile {
  std::string name;
  std::string filename;
  /// Streamed, never held in memory. A read error ends the request and is returned.
  std::shared_ptr<const ByteSource> contents;
  std::string content_type = "application/octet-stream";
};
using FormPart = std::variant<FormField, FormFile>;

/// The handling of a response body that is longer than its limit.
enum class LongBody {
  fails,  ///< the request fails, with kind `check`; at once if the server declares the length
  ends,   ///< the body is cut off at the limit, and the rest is not received
};

struct HttpRequest {
  std::string method = "GET";
  std::string url;
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::vector<FormPart> form = {};  ///< sent as a multipart body when not empty
  std::string body = {};
  /// Sent as the body instead of `body`, with its length; streamed, never held in memory. A read
  /// error ends the request and is returned.
  std::shared_ptr<const ByteSource> contents = {};
  std::optional<BasicCredentials> credentials = std::nullopt;
  std::chrono::milliseconds connect_timeout = std::chrono::seconds(15);
  /// The time limit of the whole request; nullopt: that of a transfer.
  std::optional<std::chrono::milliseconds> patience = std::nullopt;
  /// Bytes of the request body sent so far, and in total; called often, on the sending thread.
  std::function<void(uint64_t sent, uint64_t total)> progress = {};
  /// The limit of a body that is held in memory.
  ByteLimit body_limit = limits::kSimplePage;
  LongBody long_body = LongBody::fails;
  /// Receives the response body in chunks instead of `HttpResponse::body`, which stays empty: for
  /// bodies too large for memory.
  std::function<void(std::string_view bytes)> sink = {};
  /// Called after each chunk that the sink received. An error, such as a full disk, ends the
  /// request and is returned.
  std::function<Done()> sink_state = {};
  /// The limit of a body that a sink receives; beyond it the request fails, with kind `check`, at
  /// once if the server declares the length.
  ByteLimit sink_limit = limits::kDownload;
};

struct HttpResponse {
  int status = 0;
  std::string reason = {};  ///< the HTTP/1 reason phrase, where PyPI puts its message
  std::vector<std::pair<std::string, std::string>> headers = {};  ///< names in lower case
  std::string body = {};
};

/// The progress of a request without a response, which decides whether a retry is safe.
enum class Sent { nothing, perhaps };

/// HTTP(S). A response of any status is a value; an error means that no response arrived:
/// `transient` when a retry may help, `environment` otherwise (unknown host, bad certificate), with
/// `Sent` in `HttpFailure`; `check` for a body over its limit. Redirects are not followed.
/// Credentials never appear in errors or logs.
struct HttpFailure {
  Error error;
  Sent sent = Sent::nothing;
};

class Http {
 public:
  Http() = default;
  virtual ~Http() = default;
  Http(const Http&) = delete;
  Http& operator=(const Http&) = delete;

  virtual tl::expected<HttpResponse, HttpFailure> send(const HttpRequest& request) = 0;
  /// Waits before a request is repeated. Returns immediately when requests are stopped, which the
  /// next request reports.
  virtual void wait(std::chrono::milliseconds delay) = 0;
};

}  // namespace pinwheel::ports
