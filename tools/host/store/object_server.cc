#include "host/store/object_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/mask.h"
#include "base/retries.h"
#include "base/text.h"
#include "host/store/xml_value.h"
#include "publish/reply.h"

namespace pinwheel::host {
namespace {

constexpr int kAttempts = 2;
constexpr auto kPause = std::chrono::milliseconds(500);

/// A server that takes longer than this is slow, and a retry does not make it faster.
constexpr auto kQuick = std::chrono::seconds(5);

constexpr int kUnauthorized = 401;
constexpr int kForbidden = 403;
constexpr int kTooLarge = 413;
constexpr int kManyRequests = 429;
constexpr int kServerFault = 500;
constexpr int kNoRoom = 507;

/// The limit for a code in an answer; longer text is not a code and not a line of a message.
constexpr size_t kLongestCode = 64;

FaultKind kind_of_status(int status) {
  if (status == kNoRoom || status == kTooLarge) return FaultKind::full;
  if (status == kManyRequests || status >= kServerFault) return FaultKind::busy;
  return FaultKind::refused;
}

/// Records the beginning of a body that goes to a sink. The response lacks it, and the body of an
/// error contains the reason.
class BodyRecorder {
 public:
  void listen(ports::HttpRequest& request) {
    if (!request.sink) return;
    request.sink = [this, whole = std::move(request.sink)](std::string_view bytes) {
      constexpr size_t kMost = 16UL << 10;
      if (begin_.size() < kMost) begin_ += bytes.substr(0, kMost - begin_.size());
      whole(bytes);
    };
  }
  void restart() { begin_.clear(); }
  ports::HttpResponse with_body(ports::HttpResponse response) const {
    if (!is_success(response.status) && response.body.empty()) response.body = begin_;
    return response;
  }

 private:
  std::string begin_ = {};
};

using ServerAnswer = tl::expected<ports::HttpResponse, ports::HttpFailure>;

bool may_pass(const ServerAnswer& answer) {
  if (!answer) return answer.error().error.kind == ErrorKind::transient;
  return kind_of_status(answer->status) == FaultKind::busy;
}

FaultKind kind_of_error(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::interrupted:
    case ErrorKind::terminated:
      return FaultKind::stopped;
    case ErrorKind::check:
      return FaultKind::wrong_bytes;
    default:
      return FaultKind::unreachable;
  }
}

}  // namespace

ByteLimit object_limit(const ObjectSink& sink) {
  constexpr uint64_t kPage = 64UL << 10;
  return {"an object of a store", std::max(sink.most_bytes, kPage)};
}

PlaceFault response_fault(const ports::HttpRequest& request, const ports::HttpResponse& response) {
  Error error{
      ErrorKind::transient,
      std::string(trim(fmt::format("it answered {} to {} {}", response.status, request.method,
                                   mask_urls(request.url.substr(0, request.url.find('?'))))))};
  const std::string code = xml_value(response.body, "Code");
  const bool is_code = !code.empty() && code.size() <= kLongestCode;
  if (const std::string reason = is_code ? code : publish::server_message(response, HiddenText());
      !reason.empty()) {
    error.message += ": " + reason;
  }
  if (response.status == kUnauthorized || response.status == kForbidden) {
    error.hint =
        "check the credentials, and what they may read and write; a store with `,ro` is only read";
  }
  return {kind_of_status(response.status), std::move(error)};
}

PlaceResult<ports::HttpResponse> send_request(ports::Http& http, ports::HttpRequest request,
                                              const std::function<void()>& restart) {
  BodyRecorder recorder;
  recorder.listen(request);
  auto begun = std::chrono::steady_clock::now();
  const auto send = [&] {
    if (restart) restart();
    recorder.restart();
    begun = std::chrono::steady_clock::now();
    return http.send(request);
  };
  const auto again = [&](const ServerAnswer& answer) {
    return may_pass(answer) && std::chrono::steady_clock::now() - begun < kQuick;
  };
  const auto wait = [&](int /*count*/, const ServerAnswer& /*answer*/) {
    http.wait(kPause);
    return true;
  };
  ServerAnswer response = with_retries(kAttempts, send, again, wait);
  if (response) return recorder.with_body(*std::move(response));
  const FaultKind kind = kind_of_error(response.error().error.kind);
  return fault(kind, std::move(response).error().error);
}

}  // namespace pinwheel::host
