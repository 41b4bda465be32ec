#include "pep/tag.h"

#include "unit/catch.h"

namespace pinwheel::pep {
namespace {

TEST_CASE("a compressed set of tags is every combination of its parts") {
  const TagSet tags = *parse_tags("CP310.cp311-abi3-manylinux_2_17_x86_64.manylinux2014_x86_64");
  const std::vector<Tag> all = expand(tags);
  REQUIRE(all.size() == 4);
  CHECK(to_string(all[0]) == "cp310-abi3-manylinux_2_17_x86_64");
  CHECK(to_string(all[1]) == "cp310-abi3-manylinux2014_x86_64");
  CHECK(to_string(all[3]) == "cp311-abi3-manylinux2014_x86_64");
  CHECK(to_string(tags) == "cp310.cp311-abi3-manylinux_2_17_x86_64.manylinux2014_x86_64");
}

TEST_CASE("a tag with a missing or malformed part is a config error") {
  for (const std::string text :
       {"", "py3-none", "py3-none-any-x", "py3..py2-none-any", "py3--any", "py3-none-an y"}) {
    INFO(text);
    REQUIRE_FALSE(parse_tags(text));
    CHECK(parse_tags(text).error().kind == ErrorKind::config);
  }
}

TEST_CASE("the old manylinux names are policies of PEP 600") {
  CHECK(*parse_linux_policy("manylinux1_x86_64") == LinuxPolicy{Libc::glibc, 2, 5, "x86_64"});
  CHECK(*parse_linux_policy("manylinux2010_i686") == LinuxPolicy{Libc::glibc, 2, 12, "i686"});
  CHECK(*parse_linux_policy("manylinux2014_aarch64") == LinuxPolicy{Libc::glibc, 2, 17, "aarch64"});
}

TEST_CASE("a policy reads back as it is written") {
  for (const std::string platform : {"manylinux_2_28_x86_64", "musllinux_1_2_aarch64"}) {
    const std::optional<LinuxPolicy> policy = parse_linux_policy(platform);
    INFO(platform);
    REQUIRE(policy);
    CHECK(to_string(*policy) == platform);
  }
  CHECK(parse_linux_policy("musllinux_1_2_aarch64")->libc == Libc::musl);
}

TEST_CASE("other platforms have no policy") {
  for (const std::string platform :
       {"linux_x86_64", "any", "win_amd64", "manylinux_2_x86_64", "manylinux_2_28",
        "manylinux_2_28_", "manylinux2014_", "manylinux_-1_2_x86_64"}) {
    INFO(platform);
    CHECK_FALSE(parse_linux_policy(platform));
  }
}

}  // namespace
}  // namespace pinwheel::pep
