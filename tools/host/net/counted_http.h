#pragma once
#include <cstdint>
#include <functional>
#include <utility>

#include "ports/http.h"

namespace pinwheel::host {

/// Counts the bytes of the bodies of responses. If a request has a sink, those of bodies that are
/// cut off count too. Headers, and what is sent, are not counted.
class CountedHttp final : public ports::Http {
 public:
  /// `received` is called on the thread of the request; empty: nothing is counted. `http` must
  /// outlive the object.
  CountedHttp(ports::Http& http, std::function<void(uint64_t)> received)
      : http_(http), received_(std::move(received)) {}

  tl::expected<ports::HttpResponse, ports::HttpFailure> send(
      const ports::HttpRequest& request) override;
  void wait(std::chrono::milliseconds delay) override { http_.wait(delay); }

 private:
  ports::Http& http_;
  const std::function<void(uint64_t)> received_;
};

}  // namespace pinwheel::host
