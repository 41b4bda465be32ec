#include "host/net/fetch_text.h"

#include <unistd.h>

#include "base/digest.h"
#include "host/net/get_remote.h"
#include "host/system/file_source.h"
#include "unit/catch.h"
#include "unit/host/scratch.h"
#include "unit/host/scripted_http.h"

using namespace pinwheel;

namespace {

constexpr const char* kWheelUrl = "https://files.example/a/demo-1.0%2Bcpu-py3-none-any.whl";

Result<host::FetchedWheel> fetch_into(const Scratch& scratch, ports::Http& http,
                                      const std::string& address) {
  TRY(const host::WheelAddress parsed, host::parse_wheel_address(address));
  return host::fetch_wheel(http, parsed, {scratch.path(), {}});
}

ErrorKind kind_of_address(const std::string& address) {
  const Scratch scratch;
  ScriptedHttp http;
  const auto fetched = fetch_into(scratch, http, address);
  REQUIRE_FALSE(fetched);
  return fetched.error().kind;
}

}  // namespace

TEST_CASE("a wheel is downloaded completely, with the name in its URL, and leaves no file") {
  const Scratch scratch;
  ScriptedHttp http;
  http.replies[kWheelUrl] = {302, "Found", {{"location", "https://store.example/7"}}, "a page"};
  http.replies["https://store.example/7"] = {200, "OK", {}, "the wheel"};
  const auto fetched = fetch_into(scratch, http, kWheelUrl);
  REQUIRE(fetched);
  CHECK(fetched->name == "demo-1.0+cpu-py3-none-any.whl");
  const auto source = host::FileSource::open(fetched->path);
  REQUIRE(source);
  CHECK((*source)->read(0, (*source)->size()) == "the wheel");
  CHECK(std::filesystem::is_empty(scratch.path()));
}

TEST_CASE("a wheel whose hash differs from its URL is rejected") {
  const Scratch scratch;
  ScriptedHttp http;
  http.replies[kWheelUrl] = {200, "OK", {}, "the wheel"};
  const std::string address = kWheelUrl;
  CHECK(fetch_into(scratch, http, address + "#sha256=" + sha256_hex("the wheel")));
  const auto other = fetch_into(scratch, http, address + "#sha256=" + sha256_hex("another"));
  REQUIRE_FALSE(other);
  CHECK(other.error().kind == ErrorKind::check);
  CHECK(other.error().message.find(sha256_hex("another")) != std::string::npos);
}

TEST_CASE("credentials go to the wheel's own server and not to messages") {
  const Scratch scratch;
  ScriptedHttp http;
  const auto fetched =
      fetch_into(scratch, http, "https://me:s3cret@files.example/demo-1.0-py3-none-any.whl");
  REQUIRE_FALSE(fetched);
  CHECK(fetched.error().kind == ErrorKind::config);
  CHECK(fetched.error().message ==
        "`https://files.example/demo-1.0-py3-none-any.whl` answered 404");
  REQUIRE(http.asked.size() == 1);
  REQUIRE(http.asked[0].credentials);
  CHECK(http.asked[0].credentials->user == "me");
}

TEST_CASE("a URL that is not that of a wheel, or unprotected, is not requested") {
  CHECK(kind_of_address("https://files.example/demo.tar.gz") == ErrorKind::usage);
  CHECK(kind_of_address("https://files.example/a%2Fdemo-1.0-py3-none-any.whl") == ErrorKind::usage);
  CHECK(kind_of_address("http://files.example/demo-1.0-py3-none-any.whl") == ErrorKind::usage);
  CHECK(kind_of_address("http://127.0.0.1:8080/demo-1.0-py3-none-any.whl") == ErrorKind::config);
}

TEST_CASE("redirects are followed according to the caller's rule") {
  CHECK(host::safe_to_follow("http://a.example/x", "https://b.example/x"));
  CHECK_FALSE(host::safe_to_follow("http://a.example/x", "http://b.example/x"));
  CHECK(host::is_no_downgrade("http://a.example/x", "http://b.example/x"));
  CHECK_FALSE(host::is_no_downgrade("https://a.example/x", "http://a.example/x"));
}
