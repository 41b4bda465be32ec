#pragma once
#include <chrono>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ports/http.h"

namespace pinwheel {

/// Returns scripted responses by URL and records the requests.
class ScriptedHttp final : public ports::Http {
 public:
  std::map<std::string, ports::HttpResponse> replies = {};
  std::map<std::string, ports::HttpFailure> failures = {};
  std::vector<ports::HttpRequest> asked = {};
  std::vector<std::chrono::milliseconds> waits = {};

  tl::expected<ports::HttpResponse, ports::HttpFailure> send(
      const ports::HttpRequest& request) override {
    asked.push_back(request);
    if (const auto failed = failures.find(request.url); failed != failures.end()) {
      return tl::unexpected(failed->second);
    }
    const auto found = replies.find(request.url);
    ports::HttpResponse reply = found == replies.end() ? ports::HttpResponse{404} : found->second;
    if (request.sink) request.sink(std::exchange(reply.body, ""));
    return reply;
  }
  void wait(std::chrono::milliseconds delay) override { waits.push_back(delay); }
  std::vector<std::string> urls() const {
    std::vector<std::string> out;
    for (const ports::HttpRequest& request : asked) out.push_back(request.url);
    return out;
  }
};

}  // namespace pinwheel
