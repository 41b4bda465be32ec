#include "publish/endpoints.h"

#include "unit/catch.h"

using namespace pinwheel;
using publish::IndexKind;

TEST_CASE("PyPI and TestPyPI are known by name and by URL") {
  CHECK(publish::endpoint("pypi")->upload_url == "https://upload.pypi.org/legacy/");
  CHECK(publish::endpoint("pypi")->simple_url == "https://pypi.org/simple/");
  CHECK(publish::endpoint("testpypi")->upload_url == "https://test.pypi.org/legacy/");
  CHECK(publish::endpoint("https://upload.pypi.org/legacy") == publish::pypi());
  CHECK(publish::endpoint("https://test.pypi.org/legacy/")->kind == IndexKind::testpypi);
}

TEST_CASE("the simple URL of another index follows from its upload URL") {
  const auto simple = [](const char* url) { return publish::endpoint(url)->simple_url; };
  CHECK(simple("http://127.0.0.1:8080") == "http://127.0.0.1:8080/simple/");
  CHECK(simple("https://a.example/repository/x/") == "https://a.example/repository/x/simple/");
  CHECK(simple("https://a.example/legacy/") == "https://a.example/simple/");
  CHECK(simple("https://a.example/feed/pypi/upload/") == "https://a.example/feed/pypi/simple/");
  CHECK(publish::endpoint("https://a.example/up", "https://b.example/s")->simple_url ==
        "https://b.example/s/");
  CHECK(publish::endpoint("https://a.example/up")->upload_url == "https://a.example/up");
  CHECK(publish::project_url(publish::pypi(), "demo-ops") == "https://pypi.org/simple/demo-ops/");
}

TEST_CASE("an index with PyPI's rules is known by name and by URL, any other by URL alone") {
  for (const IndexKind kind : publish::kIndexKinds) {
    const auto known = publish::known_endpoint(kind);
    REQUIRE(known.has_value() == publish::has_pypi_rules(kind));
    if (!known) continue;
    CHECK(known->kind == kind);
    CHECK(publish::endpoint(to_string(kind)) == *known);
    CHECK(publish::endpoint(known->upload_url) == *known);
  }
  CHECK(publish::known_indexes() == std::vector<std::string>{"pypi", "testpypi"});
  CHECK(publish::endpoint("other").error().kind == ErrorKind::usage);
}

TEST_CASE("a URL with credentials or without http is rejected without showing the credentials") {
  const auto with_password = publish::endpoint("https://user:canary@a.example/");
  REQUIRE_FALSE(with_password);
  CHECK(with_password.error().kind == ErrorKind::usage);
  CHECK(render(with_password.error()).find("canary") == std::string::npos);
  for (const char* target : {"pipy", "ftp://a.example/", "https:///x", "/var/index"}) {
    CHECK(publish::endpoint(target).error().kind == ErrorKind::usage);
  }
}
