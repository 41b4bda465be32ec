#include "host/log/logged_http.h"

#include <string_view>
#include <utility>

#include "base/mask.h"

namespace pinwheel::host {
namespace {

constexpr int kTooMany = 429;
constexpr int kServerError = 500;

}  // namespace

LoggedHttp::LoggedHttp(ports::Http& http, ports::Log& log, const ports::Clock& clock)
    : http_(http), log_(log), clock_(clock) {}

int64_t LoggedHttp::attempt_of(const std::string& address) {
  const std::lock_guard lock(mutex_);
  const auto found = failures_.find(address);
  return found == failures_.end() ? 1 : found->second + 1;
}

void LoggedHttp::end(const std::string& address, bool failed) {
  const std::lock_guard lock(mutex_);
  if (failed) {
    ++failures_[address];
  } else {
    failures_.erase(address);
  }
}

void LoggedHttp::wait(std::chrono::milliseconds delay) {
  http_.wait(delay);
}

tl::expected<ports::HttpResponse, ports::HttpFailure> LoggedHttp::send(
    const ports::HttpRequest& request) {
  const std::string address = request.method + " " + request.url;
  uint64_t received = 0;
  ports::HttpRequest counted = request;
  if (request.sink) {
    counted.sink = [&](std::string_view bytes) {
      received += bytes.size();
      request.sink(bytes);
    };
  }
  ports::LogEvent event{ports::LogLevel::info,
                        "request",
                        {{"method", request.method},
                         {"address", mask_urls(request.url)},
                         {"attempt", attempt_of(address)}}};
  const auto begun = clock_.steady();
  tl::expected<ports::HttpResponse, ports::HttpFailure> response = http_.send(counted);
  const auto ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(clock_.steady() - begun).count();
  event.fields.push_back({"elapsed_ms", int64_t{ms}});
  if (response) {
    event.fields.push_back({"status", int64_t{response->status}});
    received += response->body.size();
  } else {
    event.fields.push_back({"error", response.error().error.message});
  }
  event.fields.push_back({"bytes", static_cast<int64_t>(received)});
  end(address, !response || response->status == kTooMany || response->status >= kServerError);
  log_.write(event);
  return response;
}

}  // namespace pinwheel::host
