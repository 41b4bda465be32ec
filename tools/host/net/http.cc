#include "host/net/http.h"

#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <mutex>

#include "base/limits.h"
#include "base/mask.h"
#include "base/text.h"
#include "base/url.h"
#include "host/net/http_library.h"
#include "host/net/trust.h"
#include "host/system/clock.h"

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

/// libcurl's results when it gives up in the middle of a reply: 0.9 instead of HTTP, headers
/// without end. The request did arrive.
bool is_malformed_reply(const CurlEnd& end) {
  if (end.request_bytes == 0) return false;
  constexpr int kTooLarge = 100;  // CURLE_TOO_LARGE, since 8.6
  return end.code == CURLE_UNSUPPORTED_PROTOCOL || end.code == CURLE_OUT_OF_MEMORY ||
         end.code == CURLE_WEIRD_SERVER_REPLY || end.code == kTooLarge;
}

/// Converts a libcurl result: permanent failures (unknown host, untrusted certificate, malformed
/// URL) are `environment`, a stop is `interrupted`, everything else is `transient`. `sent` is
/// `nothing` only if no byte of the request was sent. The message contains only the host and the
/// reason.
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

constexpr long kBufferBytes = 512L << 10;

/// A file of a form or a body, as far as libcurl has read it.
struct SentFile {
  std::shared_ptr<const ports::ByteSource> contents;
  uint64_t at = 0;
  std::optional<Error> fault = {};
};

/// The state that libcurl's callbacks update during a request.
struct Exchange {
  using Clock = std::chrono::steady_clock;

  const ports::HttpRequest* request = nullptr;
  const HttpBounds* bounds = nullptr;
  const std::stop_token* cancel = nullptr;
  ports::HttpResponse response = {};
  Clock::time_point begun = Clock::now();
  size_t header_bytes = 0;
  uint64_t sunk = 0;    ///< bytes that the sink received
  bool is_cut = false;  ///< the body was longer than the limit
  /// Why a callback ended the request.
  std::optional<Error> fault = std::nullopt;
};

std::string host_of(const std::string& url) {
  const std::optional<UrlParts> parts = split_url(url);
  return parts ? parts->host : url;
}

size_t on_file(char* buffer, size_t size, size_t count, void* user) {
  SentFile& file = *static_cast<SentFile*>(user);
  const uint64_t length = std::min<uint64_t>(size * count, file.contents->size() - file.at);
  const Result<std::string> bytes = file.contents->read(file.at, length);
  if (!bytes) {
    file.fault = bytes.error();
    return CURL_READFUNC_ABORT;
  }
  file.at += bytes->copy(buffer, bytes->size());
  return bytes->size();
}

/// libcurl begins again at the start if it has to send a request twice.
int on_seek(void* user, curl_off_t offset, int origin) {
  SentFile& file = *static_cast<SentFile*>(user);
  if (origin != SEEK_SET || offset < 0) return CURL_SEEKFUNC_CANTSEEK;
  file.at = std::min(static_cast<uint64_t>(offset), file.contents->size());
  return CURL_SEEKFUNC_OK;
}

/// The result of a callback that ends the request: fewer bytes than it was given.
constexpr size_t kEndTransfer = 0;

size_t on_body(char* data, size_t size, size_t count, void* user) {
  Exchange& exchange = *static_cast<Exchange*>(user);
  const std::string_view bytes(data, size * count);
  if (exchange.request->sink) {
    exchange.sunk += bytes.size();
    if (exchange.sunk > exchange.request->sink_limit.most) {
      exchange.fault = too_large(quoted_url(exchange.request->url), exchange.request->sink_limit);
      return kEndTransfer;
    }
    exchange.request->sink(bytes);
    if (!exchange.request->sink_state) return bytes.size();
    Done done = exchange.request->sink_state();
    if (done) return bytes.size();
    exchange.fault = std::move(done).error();
    return kEndTransfer;
  }
  std::string& body = exchange.response.body;
  const ByteLimit& limit = exchange.request->body_limit;
  const std::string_view kept = bytes.substr(0, limit.most - body.size());
  body += kept;
  if (kept.size() == bytes.size()) return bytes.size();
  exchange.is_cut = true;
  if (exchange.request->long_body == ports::LongBody::fails) {
    exchange.fault = too_large(quoted_url(exchange.request->url), limit);
  }
  return kEndTransfer;
}

/// Handles a header line; a status line starts a new response (after `100 Continue`, or a proxy's
/// response).
size_t on_header(char* data, size_t size, size_t count, void* user) {
  Exchange& exchange = *static_cast<Exchange*>(user);
  ports::HttpResponse& response = exchange.response;
  const std::string_view line(data, size * count);
  exchange.header_bytes += line.size();
  if (exchange.header_bytes > limits::kReplyHeader.most) {
    exchange.fault = too_large(quoted(host_of(exchange.request->url)), limits::kReplyHeader);
    exchange.fault->kind = ErrorKind::transient;
    return kEndTransfer;
  }
  if (line.starts_with("HTTP/")) {
    response.headers.clear();
    const size_t status = line.find(' ');
    const size_t reason = status == std::string_view::npos ? status : line.find(' ', status + 1);
    response.reason =
        reason == std::string_view::npos ? "" : std::string(trim(line.substr(reason)));
  } else if (const size_t colon = line.find(':'); colon != std::string_view::npos) {
    response.headers.emplace_back(to_lower(line.substr(0, colon)),
                                  std::string(trim(line.substr(colon + 1))));
  }
  return line.size();
}

/// The error for a declared length over the limit, before the body arrives; nullopt if the body is
/// to be received, whole or up to its limit.
std::optional<Error> declared_too_large(const ports::HttpRequest& request, curl_off_t declared) {
  const bool is_cut = !request.sink && request.long_body == ports::LongBody::ends;
  if (is_cut || request.method == "HEAD" || declared < 0) return std::nullopt;
  const ByteLimit& limit = request.sink ? request.sink_limit : request.body_limit;
  if (static_cast<uint64_t>(declared) <= limit.most) return std::nullopt;
  return too_large(quoted_url(request.url), limit);
}

int on_progress(void* user, curl_off_t expected, curl_off_t received, curl_off_t total,
                curl_off_t sent) {
  Exchange& exchange = *static_cast<Exchange*>(user);
  const HttpBounds& bounds = *exchange.bounds;
  if (!exchange.fault) exchange.fault = declared_too_large(*exchange.request, expected);
  if (exchange.fault) return 1;
  const auto bytes =
      static_cast<uint64_t>(std::max(expected, received)) + static_cast<uint64_t>(total);
  const auto lasted = Exchange::Clock::now() - exchange.begun;
  const auto patience = exchange.request->patience;
  if (patience && lasted > *patience) {
    exchange.fault = no_answer_within(*patience, host_of(exchange.request->url));
    return 1;
  }
  if (bounds.longest.count() > 0 && lasted > time_for(bounds, bytes)) {
    exchange.fault = too_long(bounds, bytes, host_of(exchange.request->url));
    return 1;
  }
  if (exchange.request->progress && total > 0) {
    exchange.request->progress(static_cast<uint64_t>(sent), static_cast<uint64_t>(total));
  }
  return exchange.cancel->stop_requested() ? 1 : 0;
}

/// A request as configured in libcurl; owns everything but the handle.
class Transfer {
 public:
  Transfer(const CurlLibrary& curl, CURL* easy) : curl_(curl), easy_(easy) {}
  ~Transfer() {
    curl_.easy_reset(easy_);
    if (mime_ != nullptr) curl_.mime_free(mime_);
    curl_.slist_free_all(headers_);
  }
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  template <class Value>
  void set(CURLoption option, Value value) {
    curl_.easy_setopt(easy_, option, value);
  }
  void set(CURLoption option, const std::string& value) {
    curl_.easy_setopt(easy_, option, value.c_str());
  }

  void add_header(const std::string& line) {
    headers_ = curl_.slist_append(headers_, line.c_str());
  }

  void add(const ports::FormField& field) {
    curl_mimepart* part = next_part();
    curl_.mime_name(part, field.name.c_str());
    curl_.mime_data(part, field.value.data(), field.value.size());
  }
  void add(const ports::FormFile& file) {
    curl_mimepart* part = next_part();
    curl_.mime_name(part, file.name.c_str());
    SentFile& sent = *files_.emplace_back(std::make_unique<SentFile>(SentFile{file.contents}));
    curl_.mime_data_cb(part, static_cast<curl_off_t>(file.contents->size()), &on_file, &on_seek,
                       nullptr, &sent);
    curl_.mime_filename(part, file.filename.c_str());
    curl_.mime_type(part, file.content_type.c_str());
  }

  /// The body of the request itself.
  void add(const std::shared_ptr<const ports::ByteSource>& contents) {
    SentFile& sent = *files_.emplace_back(std::make_unique<SentFile>(SentFile{contents}));
    set(CURLOPT_UPLOAD, 1L);
    set(CURLOPT_INFILESIZE_LARGE, static_cast<curl_off_t>(contents->size()));
    set(CURLOPT_READFUNCTION, &on_file);
    set(CURLOPT_READDATA, &sent);
    set(CURLOPT_SEEKFUNCTION, &on_seek);
    set(CURLOPT_SEEKDATA, &sent);
    set(CURLOPT_UPLOAD_BUFFERSIZE, kBufferBytes);
  }

  CURLcode perform() {
    set(CURLOPT_HTTPHEADER, headers_);
    if (mime_ != nullptr) set(CURLOPT_MIMEPOST, mime_);
    return curl_.easy_perform(easy_);
  }

  /// Why a file of the request could not be read; nullopt if all were.
  std::optional<Error> fault() const {
    for (const std::unique_ptr<SentFile>& file : files_) {
      if (file->fault) return file->fault;
    }
    return std::nullopt;
  }

  long number(CURLINFO info) const {
    long value = 0;
    curl_.easy_getinfo(easy_, info, &value);
    return value;
  }

 private:
  curl_mimepart* next_part() {
    if (mime_ == nullptr) mime_ = curl_.mime_init(easy_);
    return curl_.mime_addpart(mime_);
  }

  const CurlLibrary& curl_;
  CURL* easy_;
  curl_mime* mime_ = nullptr;
  curl_slist* headers_ = nullptr;
  std::vector<std::unique_ptr<SentFile>> files_;
};

void set_protocols(Transfer& transfer) {
#if LIBCURL_VERSION_NUM >= 0x075500
  transfer.set(CURLOPT_PROTOCOLS_STR, "http,https");
#else
  transfer.set(CURLOPT_PROTOCOLS, static_cast<long>(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
}

void set_options(Transfer& transfer, const ports::HttpRequest& request,
                 const HttpOptions& options) {
  transfer.set(CURLOPT_URL, request.url);
  transfer.set(CURLOPT_USERAGENT, options.user_agent);
  transfer.set(CURLOPT_NOSIGNAL, 1L);
  transfer.set(CURLOPT_FOLLOWLOCATION, 0L);
  transfer.set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  transfer.set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(request.connect_timeout.count()));
  transfer.set(CURLOPT_LOW_SPEED_LIMIT, static_cast<long>(options.bounds.min_speed));
  transfer.set(CURLOPT_LOW_SPEED_TIME, static_cast<long>(options.bounds.window.count()));
  set_protocols(transfer);
  if (request.credentials) {
    transfer.set(CURLOPT_HTTPAUTH, static_cast<long>(CURLAUTH_BASIC));
    transfer.set(CURLOPT_USERNAME, request.credentials->user);
    transfer.set(CURLOPT_PASSWORD, request.credentials->password.reveal());
  } else if (!options.netrc.empty()) {
    transfer.set(CURLOPT_NETRC, static_cast<long>(CURL_NETRC_OPTIONAL));
    transfer.set(CURLOPT_NETRC_FILE, options.netrc.string());
  }
}

/// Sets the method and body.
void set_body(Transfer& transfer, const ports::HttpRequest& request) {
  for (const auto& [name, value] : request.headers) {
    transfer.add_header(fmt::format("{}: {}", name, value));
  }
  // Many indexes ignore `Expect: 100-continue` or respond with 417, so no client sends it.
  transfer.add_header("Expect:");
  for (const ports::FormPart& part : request.form) {
    if (const auto* field = std::get_if<ports::FormField>(&part)) {
      transfer.add(*field);
    } else {
      transfer.add(std::get<ports::FormFile>(part));
    }
  }
  if (!request.form.empty()) return;
  if (request.contents) {
    transfer.add(request.contents);
  } else if (!request.body.empty()) {
    transfer.set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
    transfer.set(CURLOPT_POSTFIELDS, request.body.data());
  }
  if (request.method == "HEAD") {
    transfer.set(CURLOPT_NOBODY, 1L);
  } else if (request.method != "GET") {
    transfer.set(CURLOPT_CUSTOMREQUEST, request.method);
  }
}

}  // namespace

HttpOptions last_options(HttpOptions options) {
  constexpr std::chrono::seconds kLongest{10};
  options.bounds.longest = kLongest;
  return options;
}

std::filesystem::path ca_bundle_from(const std::map<std::string, std::string>& environment) {
  for (const char* name :
       {"REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE", "SSL_CERT_DIR"}) {
    const auto found = environment.find(name);
    if (found != environment.end() && !found->second.empty()) return found->second;
  }
  return {};
}

std::filesystem::path netrc_from(const std::map<std::string, std::string>& environment) {
  const std::string named = value_at(environment, "NETRC");
  const std::string home = value_at(environment, "HOME");
  if (named.empty() && home.empty()) return {};
  std::filesystem::path file =
      named.empty() ? std::filesystem::path(home) / ".netrc" : std::filesystem::path(named);
  std::error_code ignored;
  return std::filesystem::is_regular_file(file, ignored) ? file : std::filesystem::path();
}

/// A pool of libcurl handles, each with its open connections.
class CurlHttp::Handles {
 public:
  explicit Handles(Connections connections) : connections_(connections) {}
  ~Handles() {
    for (CURL* easy : idle_) curl_->easy_cleanup(easy);
  }
  Handles(const Handles&) = delete;
  Handles& operator=(const Handles&) = delete;

  CURL* take(const CurlLibrary& curl) {
    const std::lock_guard lock(mutex_);
    curl_ = &curl;
    if (idle_.empty()) return curl.easy_init();
    CURL* easy = idle_.back();
    idle_.pop_back();
    return easy;
  }
  void give_back(CURL* easy) {
    const std::lock_guard lock(mutex_);
    if (connections_ == Connections::reused) {
      idle_.push_back(easy);
    } else {
      curl_->easy_cleanup(easy);
    }
  }

 private:
  Connections connections_;
  std::mutex mutex_;
  const CurlLibrary* curl_ = nullptr;
  std::vector<CURL*> idle_;
};

CurlHttp::CurlHttp(HttpOptions options, std::stop_token cancel)
    : options_(std::move(options)),
      cancel_(std::move(cancel)),
      handles_(std::make_shared<Handles>(options_.connections)) {}

void CurlHttp::wait(std::chrono::milliseconds delay) {
  wait_unless_stopped(delay, cancel_);
}

tl::expected<ports::HttpResponse, ports::HttpFailure> CurlHttp::send(
    const ports::HttpRequest& request) {
  const Result<const CurlLibrary*> curl = curl_library();
  if (!curl) return tl::unexpected(ports::HttpFailure{curl.error(), ports::Sent::nothing});
  Exchange exchange{&request, &options_.bounds, &cancel_};
  const auto give_back = [this](CURL* easy) { handles_->give_back(easy); };
  const std::unique_ptr<CURL, decltype(give_back)> handle(handles_->take(**curl), give_back);
  Transfer transfer(**curl, handle.get());
  set_options(transfer, request, options_);
  set_trust(**curl, handle.get(), options_.ca_bundle);
  set_body(transfer, request);
  transfer.set(CURLOPT_BUFFERSIZE, kBufferBytes);
  transfer.set(CURLOPT_WRITEFUNCTION, &on_body);
  transfer.set(CURLOPT_WRITEDATA, &exchange);
  transfer.set(CURLOPT_HEADERFUNCTION, &on_header);
  transfer.set(CURLOPT_HEADERDATA, &exchange);
  transfer.set(CURLOPT_XFERINFOFUNCTION, &on_progress);
  transfer.set(CURLOPT_XFERINFODATA, &exchange);
  transfer.set(CURLOPT_NOPROGRESS, 0L);
  const CURLcode code = transfer.perform();
  for (const std::optional<Error>& fault : {transfer.fault(), exchange.fault}) {
    if (fault) return tl::unexpected(ports::HttpFailure{*fault, ports::Sent::perhaps});
  }
  if (code != CURLE_OK && !exchange.is_cut) {
    const long sent = transfer.number(CURLINFO_REQUEST_SIZE);
    ports::HttpFailure failure =
        http_failure({code, sent, (*curl)->easy_strerror(code)}, request.url);
    // Before anything was sent, the exceeded limit is the time to connect.
    if (code == CURLE_OPERATION_TIMEDOUT && sent > 0) {
      failure.error = too_slow(options_.bounds, host_of(request.url));
    }
    return tl::unexpected(std::move(failure));
  }
  exchange.response.status = static_cast<int>(transfer.number(CURLINFO_RESPONSE_CODE));
  return std::move(exchange.response);
}

}  // namespace pinwheel::host
