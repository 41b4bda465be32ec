#include "pep/wheel_name.h"

#include "unit/catch.h"

namespace pinwheel::pep {
namespace {

TEST_CASE("a wheel file name is parsed and formatted back") {
  for (const std::string text :
       {"pinwheel_kernels-1.2.0+cu130-py3-none-manylinux_2_28_x86_64.whl",
        "a-1-2local-cp310.cp311-abi3-any.whl", "a-1!2.0rc1-py3-none-any.whl"}) {
    INFO(text);
    const Result<WheelName> name = parse_wheel_name(text);
    REQUIRE(name);
    CHECK(to_string(*name) == text);
  }
  const WheelName name = *parse_wheel_name("a.b-1.0-2local-py3-none-any.whl");
  CHECK(name.distribution == "a.b");
  CHECK(name.build == BuildTag{2, "local"});
  CHECK(to_string(name) == "a_b-1.0-2local-py3-none-any.whl");
}

TEST_CASE("the last part of a wheel variant's name is its label") {
  const WheelName name = *parse_wheel_name("a_b-1.0-cp312-abi3-manylinux_2_28_x86_64-cu130.whl");
  CHECK(name.variant == "cu130");
  CHECK(to_string(name.tags) == "cp312-abi3-manylinux_2_28_x86_64");
  CHECK_FALSE(name.build);
  const WheelName built = *parse_wheel_name("a-1.0-2local-py3-none-any-130.whl");
  CHECK(built.variant == "130");
  CHECK(built.build == BuildTag{2, "local"});
  for (const std::string text : {"a-1.0-py3-none-any-null.whl", "a-1-2-py3-none-any-x.1_y.whl"}) {
    CHECK(to_string(*parse_wheel_name(text)) == text);
  }
  CHECK(parse_wheel_name("a-1.0-py3-none-any-CU130.whl").error().message ==
        "`a-1.0-py3-none-any-CU130.whl` is not a wheel file name: `CU130` is not the label of a "
        "wheel variant");
  CHECK_FALSE(parse_wheel_name("a-1.0-py3-none-any-.whl"));
  CHECK_FALSE(parse_wheel_name("a-1.0-py3-none-any-x-y.whl"));
}

TEST_CASE("build tags sort by number before text") {
  CHECK(BuildTag{2, ""} < BuildTag{10, ""});
  CHECK(BuildTag{2, ""} < BuildTag{2, "a"});
}

TEST_CASE("a build number is a whole number from 1 on") {
  CHECK(parse_build_number("1") == 1);
  CHECK(parse_build_number("202611281230") == 202611281230);
  CHECK(parse_build_number("999999999999999") == 999999999999999);
  for (const char* text : {"", "0", "01", "-1", "+1", " 1", "1 ", "1.0", "1a", "0x1", "1e3",
                           "1000000000000000", "99999999999999999999"}) {
    INFO(text);
    CHECK_FALSE(parse_build_number(text));
  }
}

TEST_CASE("a malformed wheel name says which part is wrong") {
  const auto message = [](const std::string& text) {
    return parse_wheel_name(text).error().message;
  };
  CHECK(message("a-1.0-py3-none-any.zip") ==
        "`a-1.0-py3-none-any.zip` is not a wheel file name: it does not end in .whl");
  CHECK(message("a-py3-none-any.whl") ==
        "`a-py3-none-any.whl` is not a wheel file name: it has 4 parts, not 5 to 7");
  CHECK(message("a-x-py3-none-any.whl") ==
        "`a-x-py3-none-any.whl` is not a wheel file name: `x` is not a version");
  CHECK(message("_a-1-py3-none-any.whl") ==
        "`_a-1-py3-none-any.whl` is not a wheel file name: `_a` cannot name a distribution");
  CHECK(message("a-1-b-py3-none-any.whl") ==
        "`a-1-b-py3-none-any.whl` is not a wheel file name: "
        "the build tag `b` does not begin with a number");
  CHECK(message("a-1-py3-none-.whl") ==
        "`a-1-py3-none-.whl` is not a wheel file name: `py3-none-` is not a compatibility tag");
}

TEST_CASE("the name in an sdist file name ends at the last dash before the version") {
  const SdistName name = *parse_sdist_name("pinwheel-kernels-1.2.0.tar.gz");
  CHECK(name.distribution == "pinwheel-kernels");
  CHECK(to_string(name) == "pinwheel_kernels-1.2.0.tar.gz");
  CHECK(to_string(parse_sdist_name("a-1.0.zip")->version) == "1.0");
  for (const std::string text : {"a-1.0.tar.xz", "a.tar.gz", "a-x.tar.gz", "-1.0.tar.gz"}) {
    INFO(text);
    REQUIRE_FALSE(parse_sdist_name(text));
    CHECK(parse_sdist_name(text).error().kind == ErrorKind::config);
  }
}

}  // namespace
}  // namespace pinwheel::pep
