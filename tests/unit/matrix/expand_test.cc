#include "matrix/expand.h"

#include "unit/matrix/parsed.h"

using namespace pinwheel;
using namespace pinwheel::matrix;
using testing::parsed;
using testing::value_of;

namespace {

using Names = std::vector<std::string>;

Names ids(const std::string& body) {
  return testing::ids_of(value_of(expand(parsed(body))).variants);
}

}  // namespace

TEST_CASE("a pattern of a list that matches nothing is a warning, one that leaves out is not") {
  const Expansion expansion = value_of(
      expand(parsed("axes: {python: ['3.11', '3.12'], compute: [cpu, rocm/7.1]}\n"
                    "rules: [{when: {compute: ['rocm/*', 'xpu*', '!cuda/*']}, because: x}]\n"
                    "overrides: [{when: {python: ['3.12', '3.13']}, build: {timeout: 1 h}}]\n"
                    "channels: {ci: {select: {compute: [cpuu, cpu]}}}\n")));
  REQUIRE(expansion.warnings.size() == 3);
  CHECK(expansion.warnings[0].message == "`xpu*` matches no value of axis `compute`");
  CHECK(expansion.warnings[0].at->line == 4);
  CHECK(expansion.warnings[1].message == "`cpuu` matches no value of axis `compute`");
  CHECK(expansion.warnings[1].hint == "did you mean `cpu`?");
  CHECK(expansion.warnings[2].message == "`3.13` matches no value of axis `python`");
}

TEST_CASE("the product runs over the last axis fastest") {
  CHECK(ids("axes: {python: ['3.10', 3.13t], compute: [cpu, cuda/13.0]}") ==
        Names{"cp310-cpu", "cp310-cu130", "cp313t-cpu", "cp313t-cu130"});
}

TEST_CASE("include adds attributes and rows, and the rules apply to those too") {
  const Matrix matrix = parsed(
      "axes: {python: ['3.11'], compute: [cpu]}\n"
      "attributes: [runner]\n"
      "include: [{compute: cpu, runner: small}, {python: '3.12', compute: cuda/13.0}]\n"
      "rules: [{when: {compute: 'cuda/*'}, status: experimental}]\n");
  const Expansion expansion = value_of(expand(matrix));
  REQUIRE(testing::ids_of(expansion.variants) == Names{"cp311-cpu", "cp312-cu130"});
  CHECK(expansion.variants[0].get("runner") == "small");
  CHECK(expansion.variants[0].get("nothing").empty());
  CHECK(expansion.variants[1].status == Status::experimental);
}

TEST_CASE("a rule excludes by status and by only, and its index is recorded") {
  const Matrix matrix = parsed(
      "axes: {python: ['3.10', '3.11'], compute: [cpu, rocm/7.1]}\n"
      "rules:\n"
      "  - {when: {compute: 'rocm/*', python: '3.10'}, status: unsupported}\n"
      "  - {when: {compute: cpu}, only: {python: '3.11'}, because: new}\n");
  const Expansion expansion = value_of(expand(matrix));
  REQUIRE(testing::ids_of(expansion.variants) == Names{"cp311-cpu", "cp311-rocm7.1"});
  CHECK(expansion.variants[0].shaped_by == std::vector<size_t>{1});
  CHECK(expansion.variants[1].shaped_by.empty());
  REQUIRE(expansion.excluded.size() == 2);
  CHECK(expansion.excluded[0].variant.id == "cp310-cpu");
  CHECK(expansion.excluded[0].rule == 1);
  CHECK(expansion.excluded[1].variant.id == "cp310-rocm7.1");
  CHECK(expansion.excluded[1].rule == 0);
  CHECK(expansion.warnings.empty());
}

TEST_CASE("a later status overrides, and a variant that only excluded stays excluded") {
  const Matrix matrix = parsed(
      "axes: {python: ['3.10', '3.11', '3.12']}\n"
      "rules:\n"
      "  - {when: {python: '3'}, status: unsupported}\n"
      "  - {when: {python: ['3.11', '3.12']}, status: unmaintained}\n"
      "  - {when: {python: '3'}, only: {python: ['3.10', '3.11']}}\n"
      "  - {when: {python: '3.12'}, status: supported}\n");
  const Expansion expansion = value_of(expand(matrix));
  REQUIRE(testing::ids_of(expansion.variants) == Names{"cp311"});
  CHECK(expansion.variants[0].status == Status::unmaintained);
  REQUIRE(expansion.excluded.size() == 2);
  CHECK(expansion.excluded[0].rule == 0);
  CHECK(expansion.excluded[1].variant.id == "cp312");
  CHECK(expansion.excluded[1].rule == 2);
}

TEST_CASE("a variant is in the channels whose select and rules admit it") {
  const Matrix matrix = parsed(
      "axes: {compute: [cpu, rocm/7.1], torch: ['2.13', nightly]}\n"
      "channels: {ci: {}, nightly: {select: {torch: nightly}}, release: {select: {torch: "
      "'!nightly'}}}\n"
      "rules:\n"
      "  - {when: {compute: 'rocm/*'}, channels: [ci, nightly]}\n"
      "  - {when: {torch: nightly}, channels: [nightly, release]}\n");
  const Expansion expansion = value_of(expand(matrix));
  CHECK(testing::variant_named(expansion, "cpu-torch2.13").channels == Names{"ci", "release"});
  CHECK(testing::variant_named(expansion, "cpu-torchnightly").channels == Names{"nightly"});
  CHECK(testing::variant_named(expansion, "rocm7.1-torch2.13").channels == Names{"ci"});
  CHECK(testing::variant_named(expansion, "rocm7.1-torchnightly").channels == Names{"nightly"});
}

TEST_CASE("a rule that matches nothing is a warning with its place") {
  const Matrix matrix = parsed(
      "axes: {python: ['3.10']}\n"
      "exclude: [{python: '3.1'}]\n"
      "rules: [{when: {python: '3.9'}, because: nothing has it}]\n"
      "overrides: [{when: {python: '3.8'}, test: {pip: []}}]\n");
  const Expansion expansion = value_of(expand(matrix));
  REQUIRE(expansion.warnings.size() == 3);
  CHECK(expansion.warnings[0].message == "this `exclude` matches no combination");
  CHECK(expansion.warnings[0].at->line == 4);
  CHECK(expansion.warnings[1].message == "this rule matches no variant");
  CHECK(expansion.warnings[1].at->line == 5);
  CHECK(expansion.warnings[2].message == "this override matches no variant");
  CHECK(expansion.warnings[2].at->line == 6);
}

TEST_CASE("ten thousand combinations expand, each with its own id") {
  std::string body = "axes:\n";
  for (const char* axis : {"a", "b", "c", "d"}) {
    body += std::string("  ") + axis + ": [";
    for (int i = 0; i < 10; ++i) body += (i ? ", v" : "v") + std::to_string(i);
    body += "]\n";
  }
  body += "rules: [{when: {a: v1, b: 'v[1-3]'}, status: unsupported}]\n";
  const Expansion expansion = value_of(expand(parsed(body)));
  CHECK(expansion.variants.size() == 9700);
  CHECK(expansion.excluded.size() == 300);
  CHECK(expansion.variants.back().id == "v9-v9-v9-v9");
}

TEST_CASE("more combinations than a machine can hold are an error before they are made") {
  std::string body = "axes:\n";
  for (const char* const name : {"a", "b", "c", "d"}) {
    body += std::string("  ") + name + ": [";
    for (int i = 0; i < 100; ++i) body += "v" + std::to_string(i) + ", ";
    body += "last]\n";
  }
  const Result<Expansion> refused = expand(parsed(body));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == ErrorKind::config);
  CHECK(refused.error().message == "up to axis `c` the axes have more than 200000 combinations");
  CHECK(refused.error().at->line > 0);
}

TEST_CASE("an axis may have a hundred thousand values") {
  std::string body = "axes:\n  python: ['3.11']\n  flavor:\n";
  for (int i = 0; i < 100'000; ++i) body += "    - v" + std::to_string(i) + "\n";
  CHECK(value_of(expand(parsed(body))).variants.size() == 100'000);
}
