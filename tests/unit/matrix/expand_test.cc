#include "matrix/expand.h"

#include "matrix/parse.h"
#include "matrix/selection.h"
#include "matrix/settings.h"
#include "unit/catch.h"

using namespace pinwheel;
using namespace pinwheel::matrix;

namespace {

const std::string kHead = "schema: pinwheel/1\npackage: {name: p, source: .}\n";

Matrix parsed(const std::string& body) {
  Result<Matrix> matrix = parse(kHead + body, "m.yaml");
  if (!matrix) FAIL(render(matrix.error()));
  return std::move(*matrix);
}

Expansion expanded(const Matrix& matrix) {
  Result<Expansion> expansion = expand(matrix);
  if (!expansion) FAIL(render(expansion.error()));
  return std::move(*expansion);
}

std::vector<std::string> ids(const std::string& body) {
  const Matrix matrix = parsed(body);
  std::vector<std::string> names;
  for (const Variant& variant : expanded(matrix).variants) names.push_back(variant.id);
  return names;
}

using Ids = std::vector<std::string>;

}  // namespace

TEST_CASE("the product runs over the last axis fastest") {
  CHECK(ids("axes: {python: ['3.10', 3.13t], compute: [cpu, cuda/13.0]}") ==
        Ids{"cp310-cpu", "cp310-cu130", "cp313t-cpu", "cp313t-cu130"});
}

TEST_CASE("a rule excludes by status and by only, and its index says why") {
  const Matrix matrix = parsed(
      "axes: {python: ['3.10', '3.11'], compute: [cpu, rocm/7.1]}\n"
      "rules:\n"
      "  - {when: {compute: 'rocm/*', python: '3.10'}, status: unsupported}\n"
      "  - {when: {compute: cpu}, only: {python: '3.11'}, because: new}\n"
      "  - {when: {python: '3.9'}, because: nothing has it}\n");
  const Expansion expansion = expanded(matrix);
  REQUIRE(expansion.variants.size() == 2);
  CHECK(expansion.variants[0].id == "cp311-cpu");
  CHECK(expansion.variants[0].shaped_by == std::vector<size_t>{1});
  CHECK(expansion.variants[1].id == "cp311-rocm7.1");
  REQUIRE(expansion.excluded.size() == 2);
  CHECK(expansion.excluded[0].variant.id == "cp310-cpu");
  CHECK(expansion.excluded[0].rule == 1);
  CHECK(expansion.excluded[1].variant.id == "cp310-rocm7.1");
  CHECK(expansion.excluded[1].rule == 0);
  REQUIRE(expansion.warnings.size() == 1);
  CHECK(expansion.warnings[0].at->line == 7);
}
