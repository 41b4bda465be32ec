#include "matrix/template.h"

#include "unit/catch.h"

using namespace pinwheel;
using namespace pinwheel::matrix;

namespace {

const Location kAt{"m.yaml", 3, 5, "line"};

Variant sample() {
  Variant variant;
  variant.axes = {
      {"python", "3.12"}, {"compute", "cuda/13.0"}, {"torch", "2.13"}, {"arch", "x86_64"}};
  variant.attributes = {{"runner", "big"}};
  return variant;
}

std::string expanded(const std::string& text) {
  const Result<std::string> result = expand_template(text, sample(), kAt);
  if (!result) FAIL(render(result.error()));
  return *result;
}

}  // namespace

TEST_CASE("placeholders expand to the values of the variant") {
  CHECK(expanded("{python} {torch} {compute} {arch} {runner}") == "3.12 2.13 cuda/13.0 x86_64 big");
  CHECK(expanded("{compute.version} {compute.family} {compute.label} {label}") ==
        "13.0 cuda cu130 cu130");
  CHECK(expanded("pt{torch.nodot}{compute.label}") == "pt213cu130");
  CHECK(expanded("no braces") == "no braces");
  CHECK(expanded("{{torch}}") == "{torch}");
}

TEST_CASE("an unknown placeholder is an error with its place and the nearest one") {
  const Result<std::string> result = expand_template("{torc}", sample(), kAt);
  REQUIRE_FALSE(result.has_value());
  CHECK(result.error().kind == ErrorKind::config);
  CHECK(result.error().message == "unknown placeholder `{torc}`");
  CHECK(result.error().at == kAt);
  CHECK(result.error().hint == "did you mean `torch`?");
  CHECK_FALSE(expand_template("{package}", sample(), kAt).has_value());
}

TEST_CASE("an unbalanced brace is an error") {
  CHECK_FALSE(expand_template("{torch", sample(), kAt).has_value());
  CHECK_FALSE(expand_template("torch}", sample(), kAt).has_value());
}

TEST_CASE("the plan's placeholders and escapes are kept until the plan fills them") {
  const Result<std::string> first = expand_template("{torch} {dest_dir} {{x}} {package}", sample(),
                                                    kAt, Placeholders::variant_and_plan);
  REQUIRE(first.has_value());
  CHECK(*first == "2.13 {dest_dir} {{x}} {package}");
  CHECK(fill_template(*first, {{"dest_dir", "/out"}, {"package", "/src"}}) == "2.13 /out {x} /src");
  CHECK(fill_template("{wheel} {", {}) == "{wheel} {");
}

TEST_CASE("a template is checked against a list of names") {
  CHECK(check_template("{compute.label}", {"compute"}, kAt, Placeholders::variant).has_value());
  CHECK_FALSE(check_template("{torch}", {"compute"}, kAt, Placeholders::variant).has_value());
  CHECK_FALSE(check_template("{package}", {"compute"}, kAt, Placeholders::variant).has_value());
  CHECK(check_template("{package}", {}, kAt, Placeholders::variant_and_plan).has_value());
}
