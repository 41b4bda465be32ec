#include "host/index/upload_lookup.h"

#include "base/digest.h"
#include "unit/catch.h"
#include "unit/host/scripted_http.h"

using namespace pinwheel;

namespace {

ports::HttpResponse redirect(const std::string& to) {
  return {301, "", {{"location", to}}, "moved"};
}

ports::HttpResponse html_page(const std::string& html) {
  return {200, "", {{"content-type", "text/html"}}, html};
}

host::OpenIndex target(const std::string& upload_url) {
  return {"local", *publish::endpoint(upload_url),
          ports::BasicCredentials{"__token__", Secret("t")}};
}

}  // namespace

TEST_CASE(
    "a redirect from http to https of the same host is followed, with credentials and links") {
  ScriptedHttp http;
  http.replies["http://a.example/simple/demo-ops/"] =
      redirect("https://a.example/simple/demo-ops/");
  http.replies["https://a.example/simple/demo-ops/"] = redirect("/pypi/simple/demo-ops/");
  http.replies["https://a.example/pypi/simple/demo-ops/"] =
      html_page("<a href='../../files/x.whl#sha256=ab'>x.whl</a>");
  const auto files = host::read_project(target("http://a.example/"), "Demo_Ops", http);
  REQUIRE(files);
  REQUIRE(files->size() == 1);
  CHECK(files->front().url == "https://a.example/pypi/files/x.whl");
  for (const ports::HttpRequest& request : http.asked) CHECK(request.credentials);
}

TEST_CASE("a page on a different host, or without https again, is not a page of this index") {
  for (const char* elsewhere : {"https://b.example/simple/demo/", "http://a.example/simple/demo/",
                                "https://a.example:8443/simple/demo/"}) {
    ScriptedHttp http;
    http.replies["https://a.example/simple/demo/"] = redirect(elsewhere);
    http.replies[elsewhere] = html_page("<a href='x.whl#sha256=ab'>x.whl</a>");
    const auto files = host::read_project(target("https://a.example/"), "demo", http);
    REQUIRE(files);
    CHECK(files->empty());
    CHECK(http.urls() == std::vector<std::string>{"https://a.example/simple/demo/"});
  }
}

TEST_CASE("too many redirects are an error") {
  ScriptedHttp http;
  http.replies["https://a.example/simple/demo/"] = redirect(".");
  const auto files = host::read_project(target("https://a.example/"), "demo", http);
  REQUIRE_FALSE(files);
  CHECK(files.error().message == "`https://a.example/simple/demo/` redirects too many times");
}

TEST_CASE("a file without a hash is downloaded from its store, without credentials") {
  ScriptedHttp http;
  http.replies["https://a.example/files/x.whl"] = redirect("https://store.example/x?signed=1");
  http.replies["https://store.example/x?signed=1"] = html_page("bytes");
  publish::Artifact file;
  file.filename = "x.whl";
  file.sha256 = sha256_hex("bytes");
  const std::vector<publish::IndexFile> listed = {{"x.whl", "https://a.example/files/x.whl"}};
  const auto lookup = host::look_up(file, listed, target("https://a.example/"), http);
  REQUIRE(lookup);
  CHECK(lookup->presence == host::IndexPresence::identical);
  REQUIRE(http.asked.size() == 2);
  CHECK(http.asked[0].credentials);
  CHECK_FALSE(http.asked[1].credentials);
  http.replies["https://a.example/files/x.whl"] = redirect("http://store.example/x");
  CHECK_FALSE(host::look_up(file, listed, target("https://a.example/"), http));
}
