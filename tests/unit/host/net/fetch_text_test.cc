#include "host/net/fetch_text.h"

#include "unit/catch.h"
#include "unit/host/scripted_http.h"

using namespace pinwheel;

namespace {

constexpr const char* kTextUrl = "https://ci.example/run/summary";

}  // namespace

TEST_CASE("a text is fetched, with or without a redirect") {
  ScriptedHttp http;
  http.replies[kTextUrl] = {302, "Found", {{"location", "../raw/7"}}, {}};
  http.replies["https://ci.example/raw/7"] = {200, "OK", {}, "the text"};
  CHECK(host::fetch_text(http, kTextUrl) == "the text");
  CHECK(http.urls() == std::vector<std::string>{kTextUrl, "https://ci.example/raw/7"});
}

TEST_CASE("the error for a missing text has its URL and status") {
  ScriptedHttp http;
  http.replies[kTextUrl] = {404, "Not Found", {}, "a page about that"};
  const Result<std::string> none = host::fetch_text(http, kTextUrl);
  REQUIRE_FALSE(none);
  CHECK(none.error().kind == ErrorKind::config);
  CHECK(none.error().message == "`https://ci.example/run/summary` answered 404 Not Found");
  http.replies[kTextUrl] = {503, "", {}, ""};
  CHECK(host::fetch_text(http, kTextUrl).error().kind == ErrorKind::transient);
  CHECK(http.waits.empty());
}

TEST_CASE("redirect loops and endless bodies are errors") {
  ScriptedHttp http;
  http.replies[kTextUrl] = {301, "Moved", {{"location", kTextUrl}}, {}};
  CHECK(host::fetch_text(http, kTextUrl).error().kind == ErrorKind::config);
  http.replies[kTextUrl] = {200, "OK", {}, std::string(33UL << 20, 'x')};
  CHECK(host::fetch_text(http, kTextUrl).error().kind == ErrorKind::check);
}
