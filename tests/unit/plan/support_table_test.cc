#include "plan/support_table.h"

#include "unit/catch.h"

using namespace pinwheel;
using namespace pinwheel::plan;

namespace {

matrix::Variant variant(const std::string& compute, const std::string& torch,
                        std::vector<size_t> shaped_by) {
  matrix::Variant made;
  made.axes = {{"compute", compute}, {"torch", torch}};
  made.shaped_by = std::move(shaped_by);
  return made;
}

matrix::Matrix two_by_two() {
  matrix::Matrix matrix;
  matrix.file = "m.yaml";
  matrix.axes = {{"compute", {"cpu", "cuda/12"}, {}}, {"torch", {"2.0", "nightly"}, {}}};
  matrix::SupportRule silent;
  matrix::SupportRule first;
  first.because = "first reason";
  matrix::SupportRule second;
  second.because = "second reason";
  matrix.rules = {silent, first, second};
  return matrix;
}

}  // namespace

TEST_CASE(
    "a Yes cell collects the reasons of rules that matched, a No cell of rules that excluded") {
  matrix::Expansion expansion;
  expansion.variants = {variant("cpu", "2.0", {0, 1}), variant("cpu", "nightly", {2, 1})};
  expansion.excluded = {{variant("cuda/12", "2.0", {1, 2}), 2},
                        {variant("cuda/12", "nightly", {0}), 0}};
  const Result<SupportTable> table = make_support_table(two_by_two(), expansion);
  REQUIRE(table);
  CHECK(table->columns == std::vector<std::string>{"PyTorch 2.0", "PyTorch nightly"});
  REQUIRE(table->rows.size() == 2);
  CHECK(table->rows[0].first == "CPU");
  CHECK(table->rows[0].second[0].support == Support::yes);
  CHECK(table->rows[0].second[0].notes == std::vector<int>{1});
  CHECK(table->rows[0].second[1].notes == std::vector<int>{1, 2});
  CHECK(table->rows[1].first == "CUDA 12");
  CHECK(table->rows[1].second[0].support == Support::no);
  CHECK(table->rows[1].second[0].notes == std::vector<int>{2});
  CHECK(table->rows[1].second[1].notes.empty());
  CHECK(table->notes == std::vector<std::string>{"first reason", "second reason"});
}

TEST_CASE("a matrix without a torch axis has no support table") {
  matrix::Matrix matrix = two_by_two();
  matrix.axes.pop_back();
  CHECK(make_support_table(matrix, {}).error().kind == ErrorKind::config);
}
