#include "base/url.h"

#include "unit/catch.h"

using namespace pinwheel;

TEST_CASE("references resolve as RFC 3986 says") {
  const char* base = "https://a.example/simple/demo/";
  CHECK(resolve_url(base, "x.whl#sha256=ab") == "https://a.example/simple/demo/x.whl");
  CHECK(resolve_url(base, "../../files/x.whl") == "https://a.example/files/x.whl");
  CHECK(resolve_url(base, "/files/x.whl") == "https://a.example/files/x.whl");
  CHECK(resolve_url(base, "//b.example/x.whl") == "https://b.example/x.whl");
  CHECK(resolve_url(base, "https://b.example/x") == "https://b.example/x");
  CHECK(resolve_url(base, "?p=1") == "https://a.example/simple/demo/?p=1");
  CHECK(resolve_url("https://a.example", "../x") == "https://a.example/x");
  CHECK(resolve_url(base, ".") == "https://a.example/simple/demo/");
}

TEST_CASE("an origin is scheme, host and port") {
  CHECK(same_origin("https://A.example/x", "https://a.example/y"));
  CHECK_FALSE(same_origin("https://a.example/", "http://a.example/"));
  CHECK_FALSE(same_origin("https://a.example/", "https://a.example:8443/"));
  CHECK_FALSE(same_origin("https://a.example/", "https://a.example@b.example/"));
  CHECK_FALSE(same_origin("/x", "/x"));
}

TEST_CASE("a server stays the same from http to https, not back, and on no other port or host") {
  CHECK(same_server("http://a.example/x", "http://a.example/y"));
  CHECK(same_server("http://a.example/x", "https://A.example/x"));
  CHECK(same_server("http://a.example:80/x", "https://a.example:443/x"));
  CHECK(same_server("http://[::1]/x", "https://[::1]:443/x"));
  CHECK_FALSE(same_server("http://a.example:8080/x", "https://a.example:8443/x"));
  CHECK_FALSE(same_server("http://a.example/x", "https://a.example:8443/x"));
  CHECK_FALSE(same_server("http://[::1]:8080/x", "https://[::1]/x"));
  CHECK_FALSE(same_server("https://a.example/x", "http://a.example/x"));
  CHECK_FALSE(same_server("http://a.example/x", "http://a.example:8080/x"));
  CHECK_FALSE(same_server("http://a.example/x", "https://b.example/x"));
  CHECK_FALSE(same_server("http://[::1]/x", "https://[::2]/x"));
}

TEST_CASE("segments are encoded and decoded") {
  CHECK(encode_segment("a-1.0+cu130_x~.whl") == "a-1.0%2Bcu130_x~.whl");
  CHECK(decode_percent("a%2Bb%2bc%zz%2") == "a+b+c%zz%2");
}

TEST_CASE("the path of a file URL is decoded") {
  CHECK(path_of_file_url("file:///srv/a%2Bb") == "/srv/a+b");
  CHECK_FALSE(path_of_file_url("https://a.example/b"));
  CHECK_FALSE(path_of_file_url("/srv/a"));
}

TEST_CASE("URLs are distinguished from paths, and loopback addresses from others") {
  CHECK(is_address("https://a.example/x.whl"));
  CHECK_FALSE(is_address("dist/https.whl"));
  for (const char* const host : {"localhost", "localhost:80", "127.0.0.1:8080", "[::1]:80"}) {
    CHECK(is_loopback(host));
  }
  for (const char* const host : {"a.example", "127.0.0.1.example", "localhost.example", "[::2]"}) {
    CHECK_FALSE(is_loopback(host));
  }
}
