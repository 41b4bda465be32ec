#include "host/log/logged_http.h"

#include <deque>

#include "fakes/fake_clock.h"
#include "fakes/recorded_log.h"
#include "unit/catch.h"

using namespace pinwheel;

namespace {

using Answer = tl::expected<ports::HttpResponse, ports::HttpFailure>;

/// Gives its answers in turn; each takes a second of a fake clock.
class TurnHttp final : public ports::Http {
 public:
  TurnHttp(fakes::FakeClock& clock, std::deque<Answer> answers)
      : clock_(clock), answers_(std::move(answers)) {}
  Answer send(const ports::HttpRequest& request) override {
    clock_.move_to(clock_.steady() + std::chrono::seconds(1));
    if (request.sink) request.sink("12345");
    Answer answer = answers_.front();
    answers_.pop_front();
    return answer;
  }
  void wait(std::chrono::milliseconds delay) override { clock_.move_to(clock_.steady() + delay); }

 private:
  fakes::FakeClock& clock_;
  std::deque<Answer> answers_;
};

}  // namespace

TEST_CASE("a request is logged without its credentials, and a retry with its number") {
  fakes::FakeClock clock;
  fakes::RecordedLog log;
  const ports::HttpFailure lost{{ErrorKind::transient, "`host` closed the connection"}};
  TurnHttp inner(clock, {tl::unexpected(lost), ports::HttpResponse{.status = 503},
                         ports::HttpResponse{.status = 200, .body = "12"},
                         ports::HttpResponse{.status = 200}});
  host::LoggedHttp http(inner, log, clock);
  const ports::HttpRequest request{
      .method = "PUT",
      .url = "https://me:pw@host/f?signature=s",
      .headers = {{"Authorization", "Bearer abcdef"}},
      .credentials = ports::BasicCredentials{"__token__", Secret("pypi-secret")}};
  for (int i = 0; i < 3; ++i) static_cast<void>(http.send(request));
  std::string body;
  ports::HttpRequest streamed{.url = "https://host/g"};
  streamed.sink = [&body](std::string_view bytes) { body += bytes; };
  static_cast<void>(http.send(streamed));
  REQUIRE(log.events.size() == 4);
  const std::vector<ports::LogField> first = {{"method", "PUT"},
                                              {"address", "https://***@host/f?***"},
                                              {"attempt", int64_t{1}},
                                              {"elapsed_ms", int64_t{1000}},
                                              {"error", lost.error.message},
                                              {"bytes", int64_t{0}}};
  CHECK(log.events[0].fields == first);
  CHECK(fakes::value_of(log.events[1], "status") == ports::LogValue(int64_t{503}));
  CHECK(fakes::value_of(log.events[2], "attempt") == ports::LogValue(int64_t{3}));
  CHECK(fakes::value_of(log.events[2], "bytes") == ports::LogValue(int64_t{2}));
  CHECK(fakes::value_of(log.events[3], "bytes") == ports::LogValue(int64_t{5}));
  CHECK(body == "12345");
}
