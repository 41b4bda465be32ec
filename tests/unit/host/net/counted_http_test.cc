#include "host/net/counted_http.h"

#include <string>
#include <vector>

#include "unit/catch.h"

using namespace pinwheel;

namespace {

/// Answers with a body, in pieces if there is a sink; fails after them if `fails`.
struct Answering final : ports::Http {
  std::vector<std::string> pieces = {};
  bool fails = false;

  tl::expected<ports::HttpResponse, ports::HttpFailure> send(
      const ports::HttpRequest& request) override {
    ports::HttpResponse response{200};
    for (const std::string& piece : pieces) {
      if (request.sink) {
        request.sink(piece);
      } else {
        response.body += piece;
      }
    }
    if (fails) return tl::unexpected(ports::HttpFailure{Error{ErrorKind::transient, "cut"}});
    return response;
  }
  void wait(std::chrono::milliseconds) override {}
};

}  // namespace

TEST_CASE("the bodies of responses are counted, with or without a sink") {
  Answering http;
  http.pieces = {"abc", "de"};
  std::vector<uint64_t> counts;
  host::CountedHttp counted(http, [&](uint64_t bytes) { counts.push_back(bytes); });
  CHECK(counted.send({})->body == "abcde");
  std::string received;
  ports::HttpRequest request;
  request.sink = [&](std::string_view bytes) { received += bytes; };
  CHECK(counted.send(request)->body.empty());
  CHECK(received == "abcde");
  http.fails = true;
  CHECK_FALSE(counted.send(request));
  CHECK(counts == std::vector<uint64_t>{5, 5, 5});
  http.pieces.clear();
  CHECK_FALSE(counted.send({}));
  CHECK(counts.size() == 3);
  CHECK_FALSE(host::CountedHttp(http, {}).send({}));
}
