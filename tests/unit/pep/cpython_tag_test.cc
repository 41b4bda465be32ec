#include "pep/cpython_tag.h"

#include "unit/catch.h"

namespace pinwheel::pep {
namespace {

TEST_CASE("a tag of CPython 3 is its minor version") {
  REQUIRE(parse_cpython_tag("cp39"));
  CHECK(parse_cpython_tag("cp39")->minor == 9);
  CHECK(parse_cpython_tag("cp313")->minor == 13);
  CHECK_FALSE(parse_cpython_tag("cp313")->free_threaded);
}

TEST_CASE("a trailing t is a free-threaded build") {
  REQUIRE(parse_cpython_tag("cp313t"));
  CHECK(parse_cpython_tag("cp313t")->minor == 13);
  CHECK(parse_cpython_tag("cp313t")->free_threaded);
}

TEST_CASE("other tags are not CPython 3") {
  for (const char* tag :
       {"", "cp3", "cp3t", "cp27", "py3", "pp39", "cp39m", "cp3-1", "cp3 9", "cp399999999999"})
    CHECK_FALSE(parse_cpython_tag(tag));
}

}  // namespace
}  // namespace pinwheel::pep
