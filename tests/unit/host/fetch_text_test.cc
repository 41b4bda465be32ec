#include "host/fetch_text.h"

#include "unit/catch.h"
#include "unit/host/scripted_http.h"

using namespace pinwheel;

namespace {

constexpr const char* kUrl = "https://ci.example/run/summary";

}  // namespace

TEST_CASE("a text is fetched, through a redirection where there is one") {
  ScriptedHttp http;
  http.replies[kUrl] = {302, "Found", {{"location", "../raw/7"}}, {}};
  http.replies["https://ci.example/raw/7"] = {200, "OK", {}, "the text"};
  CHECK(host::fetch_text(http, kUrl) == "the text");
  CHECK(http.urls() == std::vector<std::string>{kUrl, "https://ci.example/raw/7"});
}

TEST_CASE("an address that has nothing is named with the status") {
  ScriptedHttp http;
  http.replies[kUrl] = {404, "Not Found", {}, "a page about that"};
  const Result<std::string> none = host::fetch_text(http, kUrl);
  REQUIRE_FALSE(none);
  CHECK(none.error().kind == ErrorKind::config);
  CHECK(none.error().message == "`https://ci.example/run/summary` answered 404 Not Found");
  http.replies[kUrl] = {503, "", {}, ""};
  CHECK(host::fetch_text(http, kUrl).error().kind == ErrorKind::transient);
}

TEST_CASE("redirections in a circle and endless bodies end") {
  ScriptedHttp http;
  http.replies[kUrl] = {301, "Moved", {{"location", kUrl}}, {}};
  CHECK(host::fetch_text(http, kUrl).error().kind == ErrorKind::config);
  http.replies[kUrl] = {200, "OK", {}, std::string(33UL << 20, 'x')};
  CHECK(host::fetch_text(http, kUrl).error().kind == ErrorKind::check);
}
