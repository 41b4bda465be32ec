#include "host/index/index_reader.h"

#include "unit/catch.h"
#include "unit/host/scratch.h"
#include "unit/host/scripted_http.h"

using namespace pinwheel;
using host::IndexReader;
using host::WantedPage;

namespace {

constexpr const char* kPage = "https://a.example/simple/demo/";
constexpr const char* kFile = "https://a.example/files/demo.whl";

ports::HttpResponse reply(int status, std::vector<std::pair<std::string, std::string>> headers = {},
                          std::string body = {}) {
  return {status, "", std::move(headers), std::move(body)};
}

std::string accepted_by(const ports::HttpRequest& request) {
  for (const auto& [name, value] : request.headers) {
    if (name == "Accept") return value;
  }
  return {};
}

}  // namespace

TEST_CASE("a page is asked for in a form, and has the form of its reply") {
  ScriptedHttp http;
  http.replies[kPage] = reply(200, {{"content-type", "application/vnd.pypi.simple.v1+json"}}, "{}");
  const IndexReader reader(http, host::RemoteAddress{"https://a.example/simple"}, "/tmp");
  CHECK(reader.root() == "https://a.example/simple/");
  const auto page = reader.page(kPage, WantedPage::html);
  REQUIRE(page);
  REQUIRE(*page);
  CHECK((*page)->form == publish::PageForm::json);
  CHECK(accepted_by(http.asked.front()).find("json") == std::string::npos);
  REQUIRE(reader.page(kPage, WantedPage::json));
  CHECK(accepted_by(http.asked.back()).find("html") == std::string::npos);
  const auto missing = reader.page("https://a.example/simple/no/", WantedPage::served);
  REQUIRE(missing);
  CHECK_FALSE(*missing);
}

TEST_CASE("a server that fails is no missing page") {
  ScriptedHttp http;
  http.replies[kPage] = reply(500);
  const IndexReader reader(http, host::RemoteAddress{"https://a.example/simple/"}, "/tmp");
  const auto page = reader.page(kPage, WantedPage::served);
  REQUIRE_FALSE(page);
  CHECK(page.error().kind == ErrorKind::transient);
}

TEST_CASE("the first byte of a file tells its size and its state") {
  ScriptedHttp http;
  const IndexReader reader(http, host::RemoteAddress{"https://a.example/simple/"}, "/tmp");
  http.replies[kFile] = reply(206, {{"content-range", "bytes 0-0/42"}, {"etag", "\"x\""}}, "P");
  const host::FoundFile found = reader.find(kFile);
  CHECK(found.link.fault.empty());
  CHECK(found.link.size == 42);
  CHECK(found.state == "42 \"x\"");
  CHECK(http.asked.front().long_body == ports::LongBody::ends);
  http.replies[kFile] = reply(200, {{"content-length", "43"}, {"last-modified", "then"}});
  CHECK(reader.find(kFile).link.size == 43);
  CHECK(reader.find(kFile).state == "43 then");
  http.replies[kFile] = reply(416, {{"content-range", "bytes */0"}});
  CHECK(reader.find(kFile).link.size == 0);
  http.replies[kFile] = reply(404);
  CHECK(reader.find(kFile).link.fault == "`https://a.example/files/demo.whl` answered 404");
}

TEST_CASE("a redirect is followed to other https servers, and to none without encryption") {
  ScriptedHttp http;
  const IndexReader reader(http, host::RemoteAddress{"https://a.example/simple/"}, "/tmp");
  http.replies[kFile] = reply(302, {{"location", "https://b.example/demo.whl?key=secret"}});
  http.replies["https://b.example/demo.whl?key=secret"] = reply(200);
  const host::FoundFile found = reader.find(kFile);
  CHECK(found.link.fault.empty());
  CHECK(found.link.final_url == "https://b.example/demo.whl?***");
  http.replies[kFile] = reply(302, {{"location", "http://b.example/demo.whl"}});
  CHECK(reader.find(kFile).link.fault ==
        "is redirected to `http://b.example/demo.whl`, without encryption");
}

TEST_CASE("credentials go to the server of the index only") {
  ScriptedHttp http;
  const auto address = host::parse_address("https://me:secret@a.example/simple/");
  const IndexReader reader(http, *address, "/tmp");
  CHECK(reader.root() == "https://a.example/simple/");
  reader.find(kFile);
  reader.find("https://b.example/demo.whl");
  CHECK(http.asked[0].credentials);
  CHECK_FALSE(http.asked[1].credentials);
}

TEST_CASE("a page of a server links to no file of this machine") {
  ScriptedHttp http;
  const Scratch scratch;
  const auto path = scratch.write("demo.whl", "bytes");
  const IndexReader reader(http, host::RemoteAddress{"https://a.example/simple/"}, "/tmp");
  const std::string url = "file://" + path.string();
  CHECK(reader.find(url).link.fault == "`" + url + "` is neither an http nor an https address");
  CHECK_FALSE(reader.open(url));
  CHECK_FALSE(reader.text(url, limits::kMetadata));
  CHECK_FALSE(reader.stream(
      url, [] {}, [](std::string_view) {}));
}

TEST_CASE("an index in a directory is read by file:// URLs, and nothing outside of it") {
  ScriptedHttp http;
  const Scratch scratch;
  scratch.write("out.whl", "secret");
  scratch.write("my index/demo/index.html", "<a href='a+b.whl'>");
  scratch.write("my index/demo/a+b.whl", "bytes");
  const IndexReader reader(http, scratch.path() / "my index", "/tmp");
  const std::string root = "file://" + scratch.path().string() + "/my%20index/";
  CHECK(reader.root() == root);
  CHECK(reader.directories() == std::vector<std::string>{"demo"});
  const auto page = reader.page(root + "demo/", WantedPage::served);
  REQUIRE(page);
  REQUIRE(*page);
  CHECK((*page)->body == "<a href='a+b.whl'>");
  CHECK_FALSE(*reader.page(root + "demo/", WantedPage::json));
  CHECK(reader.find(root + "demo/a+b.whl").link.size == 5);
  CHECK(reader.find(root + "demo/").link.fault.ends_with("is not a file"));
  CHECK(reader.find(root + "../out.whl").link.fault.ends_with("is outside of the index"));
  CHECK(reader.find(root + "demo/%2e%2e/%2e%2e/out.whl").link.fault.ends_with("of the index"));
  std::string bytes;
  REQUIRE(reader.stream(
      root + "demo/a+b.whl", [&] { bytes.clear(); },
      [&](std::string_view part) { bytes += part; }));
  CHECK(bytes == "bytes");
  const auto open = reader.open(root + "demo/a+b.whl");
  REQUIRE(open);
  CHECK(open->is_here);
}
