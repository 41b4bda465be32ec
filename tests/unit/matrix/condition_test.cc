#include "matrix/condition.h"

#include "unit/catch.h"

using namespace pinwheel::matrix;

namespace {

Variant variant_of(std::string python, std::string compute) {
  Variant variant;
  variant.axes = {{"python", std::move(python)}, {"compute", std::move(compute)}};
  variant.attributes = {{"runner", "small"}};
  return variant;
}

}  // namespace

TEST_CASE("versions match by component") {
  CHECK(value_matches("12", "12"));
  CHECK(value_matches("12", "12.6"));
  CHECK_FALSE(value_matches("12", "120"));
  CHECK_FALSE(value_matches("12.6", "12"));
  CHECK(value_matches("cuda/12", "cuda/12.6"));
  CHECK(value_matches("11.7", "11.7.1"));
  CHECK_FALSE(value_matches("3.1", "3.10"));
  CHECK_FALSE(value_matches("3.13", "3.13t"));
  CHECK_FALSE(value_matches("cuda", "cuda/12"));
  CHECK_FALSE(value_matches("a", "a.b"));
}

TEST_CASE("globs match whole values and leading components") {
  CHECK(value_matches("cuda/*", "cuda/13.0"));
  CHECK_FALSE(value_matches("cuda/*", "rocm/7.1"));
  CHECK(value_matches("11.*", "11.7.1"));
  CHECK_FALSE(value_matches("11.*", "11"));
  CHECK(value_matches("cuda/{11,12}", "cuda/12.6"));
  CHECK_FALSE(value_matches("cuda/{11,12}", "cuda/120"));
  CHECK(value_matches("{cpu,rocm/*}", "cpu"));
  CHECK(value_matches("*", ""));
}

TEST_CASE("a list matches what a plain pattern matches and no negated pattern matches") {
  CHECK(values_match({"3.11", "3.12"}, "3.12"));
  CHECK_FALSE(values_match({"3.11", "3.12"}, "3.13"));
  CHECK(values_match({"!3.11"}, "3.12"));
  CHECK_FALSE(values_match({"!3.11", "!3.12"}, "3.12"));
  CHECK(values_match({"3", "!3.11"}, "3.12"));
  CHECK_FALSE(values_match({"3", "!3.11"}, "3.11"));
}

TEST_CASE("a condition holds when each of its axes does") {
  const When when = {{"python", {"3.11"}}, {"compute", {"cuda/*"}}};
  CHECK(matches(when, variant_of("3.11", "cuda/13.0")));
  CHECK_FALSE(matches(when, variant_of("3.11", "cpu")));
  CHECK_FALSE(matches(when, variant_of("3.12", "cuda/13.0")));
  CHECK(matches({}, variant_of("3.11", "cpu")));
  CHECK(matches({{"runner", {"small"}}}, variant_of("3.11", "cpu")));
  CHECK_FALSE(matches({{"arch", {"x86_64"}}}, variant_of("3.11", "cpu")));
  CHECK(matches({{"arch", {"!x86_64"}}}, variant_of("3.11", "cpu")));
}

TEST_CASE("a prepared condition agrees with matches") {
  const When when = {{"python", {"3.11", "!3.12"}}, {"compute", {"!cuda/*"}}};
  Condition condition(when);
  for (const char* python : {"3.11", "3.12", "3.11"}) {
    for (const char* compute : {"cpu", "cuda/13.0", "cpu"}) {
      const Variant variant = variant_of(python, compute);
      CHECK(condition.matches(variant) == matches(when, variant));
    }
  }
}
