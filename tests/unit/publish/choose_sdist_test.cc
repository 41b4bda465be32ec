#include "publish/choose_sdist.h"

#include "unit/catch.h"

namespace pinwheel::publish {
namespace {

std::vector<IndexFile> page(const std::vector<std::string>& names) {
  std::vector<IndexFile> files;
  for (const std::string& name : names) files.push_back({.filename = name, .url = name});
  return files;
}

TEST_CASE("the sdist of a version is found by PEP 440 and PEP 503, tar.gz first") {
  const auto files = page({"my_ops-1.0-py3-none-any.whl", "my_ops-1.0.zip", "My.Ops-1.0.tar.gz",
                           "my_ops-1.1.tar.gz", "my_ops_extra-1.0.tar.gz"});
  const auto found = choose_sdist(files, "my-ops", "1.0.0");
  REQUIRE(found);
  CHECK(found->filename == "My.Ops-1.0.tar.gz");
  CHECK(choose_sdist(page({"a-1.zip"}), "a", "1")->filename == "a-1.zip");
}

TEST_CASE("without one the hint says what the page has") {
  const auto hint = [](const std::vector<std::string>& names, const std::string& version) {
    const auto found = choose_sdist(page(names), "a", version);
    REQUIRE_FALSE(found);
    CHECK(found.error().kind == ErrorKind::config);
    CHECK(found.error().message == "`a` " + version + " has no sdist");
    return found.error().hint;
  };
  CHECK(hint({}, "1") == "the index has no sdist of any version");
  CHECK(hint({"a-1-py3-none-any.whl"}, "1") ==
        "the index has only wheels of it; build it from its repository, with `package.source`");
  CHECK(hint({"a-1.tar.gz", "a-10.tar.gz", "a-9.tar.gz"}, "2") ==
        "the index has sdists of `10`, `9`, `1`");
}

}  // namespace
}  // namespace pinwheel::publish
