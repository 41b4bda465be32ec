#include "publish/root_page.h"

#include "base/limits.h"
#include "publish/catalog.h"
#include "unit/catch.h"

using namespace pinwheel;

TEST_CASE("the root page of an index names its projects") {
  const auto names = publish::parse_root_html(publish::root_page_html({"torch", "my-ops"}),
                                              "https://a.example/simple/");
  REQUIRE(names);
  CHECK(*names == std::vector<std::string>{"my-ops", "torch"});
}

TEST_CASE("only directories directly below the page count, each once") {
  const auto names = publish::parse_root_html(R"(<a href="../">up</a> <a href="/whl/torch/">x</a>
      <a href="torch">again</a> <a href="https://a.example/whl/cu130/">y</a>
      <a href="https://b.example/whl/no/">no</a> <a href="/whl/deep/er/">no</a> <a>no</a>
      <a href="bad%20name/">no</a> <a href="?sort=1">no</a>)",
                                              "https://a.example/whl/index.html");
  REQUIRE(names);
  CHECK(*names == std::vector<std::string>{"torch", "cu130"});
}

TEST_CASE("the base of a page applies to its links") {
  const auto names = publish::parse_root_html(R"(<base href="/whl/"><a href="torch/">torch</a>)",
                                              "https://a.example/whl/root/");
  REQUIRE(names);
  CHECK(names->empty());
}

TEST_CASE("a root page over a limit is an error of the index") {
  const std::string tag = "<a href=\"" + std::string(limits::kHtmlTag.most + 1, 'x') + "\">";
  const auto names = publish::parse_root_html(tag, "https://a.example/");
  REQUIRE_FALSE(names);
  CHECK(names.error().kind == ErrorKind::publish);
  std::string many;
  for (uint64_t i = 0; i <= limits::kRootLinks.most; ++i) many += "<a>";
  const auto counted = publish::parse_root_html(many, "https://a.example/");
  REQUIRE_FALSE(counted);
  CHECK(counted.error().message ==
        "the index's page has more than 1000000 links, the limit for the page of an index");
}
