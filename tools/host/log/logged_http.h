#pragma once
#include <map>
#include <mutex>
#include <string>

#include "ports/clock.h"
#include "ports/http.h"
#include "ports/log.h"

namespace pinwheel::host {

/// Logs each request as `request` when it ends: method, address without credentials and query,
/// status, bytes received, time. `attempt` counts the requests to an address that failed just
/// before (no response, or a status of 429 or from 500): it is above 1 for a retry.
class LoggedHttp final : public ports::Http {
 public:
  /// All must outlive the object.
  LoggedHttp(ports::Http& http, ports::Log& log, const ports::Clock& clock);

  tl::expected<ports::HttpResponse, ports::HttpFailure> send(
      const ports::HttpRequest& request) override;
  void wait(std::chrono::milliseconds delay) override;

 private:
  int64_t attempt_of(const std::string& address);
  void end(const std::string& address, bool failed);

  ports::Http& http_;
  ports::Log& log_;
  const ports::Clock& clock_;
  std::mutex mutex_;
  std::map<std::string, int64_t> failures_;  ///< of addresses whose last request failed
};

}  // namespace pinwheel::host
