#include "publish/simple_page.h"

#include "base/limits.h"
#include "publish/catalog.h"
#include "unit/catch.h"

using namespace pinwheel;
using publish::IndexFile;

namespace {

constexpr const char* kJson = "application/vnd.pypi.simple.v1+json";

std::vector<IndexFile> sample() {
  return {{"demo_ops-1.1-py3-none-any.whl",
           "demo_ops-1.1-py3-none-any.whl",
           {{"sha256", std::string(64, 'b')}},
           12,
           "",
           "",
           "2026-01-02T03:04:05.067089Z",
           ""},
          {"demo_ops-1.0+cu130-py3-none-any.whl",
           "../cu130/demo_ops-1.0%2Bcu130-py3-none-any.whl",
           {{"sha256", std::string(64, 'a')}},
           7,
           ">=3.10,<4",
           std::string(64, 'c'),
           "2026-01-01T00:00:00.000000Z",
           "wrong \"sums\", see <#12>"}};
}

}  // namespace

TEST_CASE("pages read back to their contents, sorted") {
  std::vector<IndexFile> expected = {sample()[1], sample()[0]};
  const auto json =
      publish::parse_simple_page(kJson, publish::project_page_json("demo-ops", sample()));
  REQUIRE(json);
  CHECK(*json == expected);
  for (IndexFile& file : expected) file.size.reset();
  const auto html = publish::parse_simple_page("text/html; charset=utf-8",
                                               publish::project_page_html("demo-ops", sample()));
  REQUIRE(html);
  CHECK(*html == expected);
}

TEST_CASE("the HTML page has what PEP 503, 592, 629, 658 and 714 require, and upload times") {
  const std::string page = publish::project_page_html("demo-ops", {sample()[1]});
  CHECK(page.starts_with("<!DOCTYPE html>\n"));
  CHECK(page.find("<meta name=\"pypi:repository-version\" content=\"1.1\">") != std::string::npos);
  const std::string link =
      "<a href=\"../cu130/demo_ops-1.0%2Bcu130-py3-none-any.whl#sha256=" + std::string(64, 'a') +
      "\" data-requires-python=\"&gt;=3.10,&lt;4\" data-core-metadata=\"sha256=" +
      std::string(64, 'c') + "\" data-dist-info-metadata=\"sha256=" + std::string(64, 'c') +
      "\" data-upload-time=\"2026-01-01T00:00:00.000000Z\" data-yanked=\"wrong &quot;sums&quot;, "
      "see "
      "&lt;#12&gt;\">demo_ops-1.0+cu130-py3-none-any.whl</a>";
  CHECK(page.find(link) != std::string::npos);
}

TEST_CASE("the JSON page lists versions, sizes, hashes, upload times and yanked files") {
  const std::string page = publish::project_page_json("demo-ops", sample());
  CHECK(page.find("\"api-version\": \"1.1\"") != std::string::npos);
  CHECK(page.find("\"versions\": [\n  \"1.0+cu130\",\n  \"1.1\"\n ]") != std::string::npos);
  CHECK(page.find("\"size\": 7") != std::string::npos);
  CHECK(page.find("\"upload-time\": \"2026-01-02T03:04:05.067089Z\"") != std::string::npos);
  CHECK(page.find("\"yanked\": true") != std::string::npos);
  CHECK(page.find("\"yanked\": \"wrong \\\"sums\\\", see <#12>\"") != std::string::npos);
  IndexFile plain = sample()[0];
  plain.upload_time.clear();
  plain.yanked.reset();
  for (const std::string& without : {publish::project_page_json("demo-ops", {plain}),
                                     publish::project_page_html("demo-ops", {plain})}) {
    CHECK(without.find("yanked") == std::string::npos);
    CHECK(without.find("upload-time") == std::string::npos);
  }
}

TEST_CASE("root pages list each project once, sorted") {
  CHECK(publish::parse_root_json(publish::root_page_json({"b", "a", "b"})) ==
        std::vector<std::string>{"a", "b"});
  const std::string page = publish::root_page_html({"b", "a", "b"});
  CHECK(page.find("<a href=\"a/\">a</a><br>\n<a href=\"b/\">b</a><br>\n</body>") !=
        std::string::npos);
}

TEST_CASE("pages of other servers are read") {
  const auto files = publish::parse_simple_page("text/html", R"(<!DOCTYPE html><html><head>
    <base href="https://files.example/whl/"></head><body><!-- <a href="no.whl">no</a> -->
    <A class=x HREF='demo-1.0%2Bcpu.whl#SHA256=x&amp;sha256=ABCDEF' data-requires-python="&#62;=3.9">
      demo</A><a name="anchor">none</a><a href="demo-2.0.whl?sig=1#md5=00">x</a>
    <a href="../">up</a><a href="broken)");
  REQUIRE(files);
  REQUIRE(files->size() == 2);
  CHECK((*files)[0].filename == "demo-1.0+cpu.whl");
  CHECK((*files)[0].url == "https://files.example/whl/demo-1.0%2Bcpu.whl");
  CHECK((*files)[0].hashes.at("sha256") == "abcdef");
  CHECK((*files)[0].requires_python == ">=3.9");
  CHECK((*files)[1].filename == "demo-2.0.whl");
  CHECK((*files)[1].hashes == std::map<std::string, std::string>{{"md5", "00"}});
}

TEST_CASE("a file is yanked by a reason, by true, or by the attribute alone") {
  const auto json = publish::parse_simple_page(kJson, R"({"meta": {"api-version": "1.0"}, "files": [
      {"filename": "a", "yanked": true}, {"filename": "b", "yanked": "why"},
      {"filename": "c", "yanked": false}, {"filename": "d", "yanked": 1}, {"filename": "e"}]})");
  REQUIRE(json);
  const std::vector<std::optional<std::string>> expected = {"", "why", {}, {}, {}};
  for (size_t i = 0; i < expected.size(); ++i) CHECK(json->at(i).yanked == expected[i]);
  const auto html = publish::parse_simple_page(
      "text/html", "<a href=a data-yanked>a</a><a href=b data-yanked='why'>b</a><a href=c>c</a>");
  REQUIRE(html);
  for (size_t i = 0; i < html->size(); ++i) CHECK(html->at(i).yanked == expected[i]);
}

TEST_CASE("JSON that is malformed or of another version is rejected") {
  for (const char* page :
       {"", "[]", "{", R"({"files": []})", R"({"meta": {"api-version": "2.0"}, "files": []})",
        R"({"meta": {"api-version": "1.0"}})", R"({"meta": {"api-version": "1.0"}, "files": [1]})",
        R"({"meta": {"api-version": "1.0"}, "files": [{"url": "x"}]})",
        R"({"meta": "1.0", "files": {}})"}) {
    const auto files = publish::parse_simple_page(kJson, page);
    REQUIRE_FALSE(files);
    CHECK(files.error().kind == ErrorKind::publish);
  }
}

TEST_CASE("of a page only what is known of its files is held") {
  const auto files = publish::parse_simple_page(kJson, R"({"junk": [[{"filename": "no"}], 1],
      "meta": {"api-version": "1.1", "other": {"x": []}}, "versions": ["1.0"],
      "files": [{"filename": "a-1.whl", "url": "u", "hashes": {"sha256": "AB"}, "yanked": [],
                 "provenance": {"deep": {"filename": "no"}}, "size": 5},
                {"filename": "a-2.whl", "url": "v", "hashes": {}}], "name": "a"})");
  REQUIRE(files);
  REQUIRE(files->size() == 2);
  CHECK(files->at(0).filename == "a-1.whl");
  CHECK(files->at(0).hashes.at("sha256") == "ab");
  CHECK(files->at(0).size == 5);
  CHECK(files->at(1).filename == "a-2.whl");
}

TEST_CASE("values of a wrong type on a JSON page are named") {
  const auto files =
      publish::parse_simple_page(kJson, R"({"meta": {"api-version": "1.1"}, "files": [
      {"filename": "a-1.whl", "url": 1, "hashes": [], "size": "5", "requires-python": [],
       "upload-time": 7, "core-metadata": "yes", "dist-info-metadata": 1, "yanked": ""},
      {"filename": "a-2.whl", "url": "v", "hashes": {}, "size": 5, "requires-python": null,
       "upload-time": null, "core-metadata": false, "yanked": "why"}]})");
  REQUIRE(files);
  CHECK(files->at(0).malformed ==
        std::vector<std::string>{"url", "hashes", "size", "requires-python", "upload-time",
                                 "core-metadata", "dist-info-metadata", "yanked"});
  CHECK(files->at(1).malformed.empty());
}

TEST_CASE("a page over a limit is rejected, and says which") {
  const auto refused = [](std::string_view type, const std::string& page, std::string_view part) {
    const auto files = publish::parse_simple_page(type, page);
    REQUIRE_FALSE(files);
    CHECK(files.error().kind == ErrorKind::publish);
    INFO(files.error().message);
    CHECK(files.error().message.find(part) != std::string::npos);
  };
  std::string html;
  std::string json = R"({"meta": {"api-version": "1.0"}, "files": [)";
  for (uint64_t i = 0; i < limits::kSimpleFiles.most; ++i) {
    html += "<a href=x>";
    json += R"({"filename":"a"},)";
  }
  CHECK(publish::parse_simple_page("text/html", html));
  const std::string_view count = "has more than 200000 files, the limit for a simple page";
  refused("text/html", html + "<a href=x>", count);
  refused(kJson, json + R"({"filename":"a"}]})", count);
  refused("text/html", std::string(limits::kSimplePage.most + 1, ' '),
          "larger than the limit of 40 MB for a simple page");
  refused("text/html", "<a href=" + std::string(200'000, 'x') + ">",
          "larger than the limit of 100 KB for a tag of an HTML page");
  refused("text/html", "<base href=" + std::string(3000, 'x') + ">",
          "larger than the limit of 2.0 KB for the base URL of a page");
}

TEST_CASE("what looks like references takes no longer than its length") {
  const auto files = publish::parse_simple_page(
      "text/html", "<a href='" + std::string(90'000, '&') + "&amp;&#x26;'>");
  REQUIRE(files);
  CHECK(files->at(0).filename == std::string(90'002, '&'));
}
