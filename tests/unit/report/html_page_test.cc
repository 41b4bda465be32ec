#include "report/html_page.h"

#include <nlohmann/json.hpp>

#include "base/digest.h"
#include "report/shipped_documents.h"
#include "unit/catch.h"

using namespace pinwheel;
using report::Document;

namespace {

const std::string kTemplate =
    "<title>@TITLE@</title><meta content=\"@SCRIPT_HASH@\"><style>@STYLE@</style>"
    "<pre>@LICENSES@</pre><script id=data>@DATA@</script><script>@SCRIPT@</script>me@example.org";

std::vector<Document> parts() {
  return {{"page.html", kTemplate},          {"page.css", "p { color: @TITLE@ }"},
          {"licenses.txt", "(c) <us>"},      {"d3.js", "library()"},
          {"plot.js", "second(\"@DATA@\")"}, {"core.js", "own()"}};
}

std::string between(const std::string& text, const std::string& begin, const std::string& end) {
  const size_t from = text.find(begin) + begin.size();
  return text.substr(from, text.find(end, from) - from);
}

}  // namespace

TEST_CASE("no text in the data of a page ends its element or starts another") {
  const std::vector<std::string> texts = {"</script><script>alert(1)</script>",
                                          "<!--<script>",
                                          "]]>",
                                          "&lt;",
                                          "\"quoted\\\"",
                                          "\u2028\u2029",
                                          "\u202e\u2066right to left",
                                          "\U0001F600",
                                          std::string("nul\0", 4),
                                          "'"};
  for (const std::string& text : texts) {
    const std::string json = nlohmann::json({{text, text}}).dump();
    const std::string written = report::script_json(json);
    CHECK(written.find_first_of("<>&") == std::string::npos);
    CHECK(std::all_of(written.begin(), written.end(), [](char c) { return c > 0x1f && c < 0x7f; }));
    CHECK(nlohmann::json::parse(written) == nlohmann::json::parse(json));
  }
  CHECK(report::script_json("\"\xff\"") == "\"\\ufffd\"");
}

TEST_CASE("a page has its parts, and what fills it is not a template") {
  const auto page = report::html_page(parts(), "<run> & \"@SCRIPT@\"", R"({"a":"@STYLE@"})");
  REQUIRE(page);
  CHECK(between(*page, "<title>", "</title>") == "&lt;run&gt; &amp; &quot;@SCRIPT@&quot;");
  CHECK(between(*page, "<style>", "</style>") == "p { color: @TITLE@ }");
  CHECK(between(*page, "<pre>", "</pre>") == "(c) &lt;us&gt;");
  CHECK(between(*page, "id=data>", "</script>") == R"({"a":"@STYLE@"})");
  CHECK(page->ends_with("me@example.org"));
}

TEST_CASE("the policy of a page allows its script by digest") {
  const auto page = report::html_page(parts(), "title", "{}");
  REQUIRE(page);
  const std::string script = between(*page, "<script>", "</script>");
  CHECK(script == "library()\nsecond(\"@DATA@\")\n\"use strict\";(() => {\nown()\n})();\n");
  Sha256 hash;
  hash.update(script);
  CHECK(between(*page, "content=\"", "\"") == "sha256-" + base64(hash.finish()));
}

TEST_CASE("a build without pages says how to get them") {
  const auto page = report::html_page({}, "title", "{}");
  REQUIRE(!page);
  CHECK(page.error().kind == ErrorKind::environment);
  CHECK(page.error().hint.find("PINWHEEL_PAGES") != std::string::npos);
}

TEST_CASE("the shipped page is below 1 MB without data, names licenses and loads nothing") {
  const std::vector<Document> shipped = report::shipped_page_parts();
  const auto page = report::html_page(shipped, "title", "{}");
  REQUIRE(page.has_value() == !shipped.empty());
  if (!page) return;
  CHECK(page->size() < 1'000'000);
  CHECK(page->find("default-src 'none'") != std::string::npos);
  CHECK(page->find("Mike Bostock") != std::string::npos);
  CHECK(page->find("Observable, Inc.") != std::string::npos);
  CHECK(page->find("@SCRIPT") == std::string::npos);
  for (const char* const loaded : {"<link", "<img", "<iframe", "@import"}) {
    CHECK(page->substr(0, page->find("<script")).find(loaded) == std::string::npos);
  }
}
