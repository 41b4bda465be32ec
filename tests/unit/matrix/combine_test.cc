#include "matrix/combine.h"

#include "base/text.h"
#include "unit/catch.h"

using namespace pinwheel;
using namespace pinwheel::matrix;

namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

Row row(Pairs values) {
  return {std::move(values), {"m.yaml", 9, 1, ""}};
}

std::vector<std::string> combined(const Matrix& matrix) {
  std::vector<std::string> lines;
  const Combined all = combine(matrix).value();
  for (const Combination& combination : all.rows) {
    std::vector<std::string> parts;
    for (const auto& [name, value] : combination.axes) parts.push_back(name + "=" + value);
    for (const auto& [name, value] : combination.attributes) parts.push_back(name + ":" + value);
    lines.push_back(join(parts, " "));
  }
  return lines;
}

Matrix fruits() {
  Matrix matrix;
  matrix.axes = {{"fruit", {"apple", "pear"}, {}}, {"animal", {"cat", "dog"}, {}}};
  matrix.attributes = {"color", "shape"};
  return matrix;
}

}  // namespace

// The example in GitHub's documentation of `include`.
TEST_CASE("include behaves as GitHub documents it") {
  Matrix matrix = fruits();
  matrix.include = {row({{"color", "green"}}), row({{"color", "pink"}, {"animal", "cat"}}),
                    row({{"fruit", "apple"}, {"shape", "circle"}}), row({{"fruit", "banana"}}),
                    row({{"fruit", "banana"}, {"animal", "cat"}})};
  CHECK(combined(matrix) == std::vector<std::string>{
                                "fruit=apple animal=cat color:pink shape:circle",
                                "fruit=apple animal=dog color:green shape:circle",
                                "fruit=pear animal=cat color:pink",
                                "fruit=pear animal=dog color:green",
                                "fruit=banana",
                                "fruit=banana animal=cat",
                            });
}

TEST_CASE("exclude needs all its values and only those") {
  Matrix matrix = fruits();
  matrix.exclude = {row({{"fruit", "apple"}, {"animal", "dog"}})};
  CHECK(combined(matrix).size() == 3);
  matrix.exclude = {row({{"animal", "dog"}})};
  CHECK(combined(matrix) ==
        std::vector<std::string>{"fruit=apple animal=cat", "fruit=pear animal=cat"});
}

TEST_CASE("exclude applies first, so an include cannot extend a dropped combination") {
  Matrix matrix = fruits();
  matrix.exclude = {row({{"fruit", "pear"}})};
  matrix.include = {row({{"fruit", "pear"}, {"color", "green"}})};
  CHECK(combined(matrix) == std::vector<std::string>{"fruit=apple animal=cat",
                                                     "fruit=apple animal=dog",
                                                     "fruit=pear color:green"});
}

TEST_CASE("an exclude that matches nothing is a warning") {
  Matrix matrix = fruits();
  matrix.exclude = {row({{"fruit", "plum*"}})};
  const Combined result = combine(matrix).value();
  CHECK(result.rows.size() == 4);
  REQUIRE(result.warnings.size() == 1);
  CHECK(result.warnings[0].message == "this `exclude` matches no combination");
  CHECK(result.warnings[0].at->line == 9);
}

TEST_CASE("the values of rows may be globs") {
  Matrix matrix;
  matrix.axes = {{"python", {"3.9", "3.10", "3.11"}, {}},
                 {"compute", {"cpu", "cuda/12.6", "cuda/13.0", "rocm/7.1"}, {}}};
  matrix.attributes = {"runner"};
  matrix.exclude = {row({{"python", "3.1?"}, {"compute", "{rocm,xpu}/*"}}),
                    row({{"python", "3.9"}, {"compute", "cuda/1[23]"}})};
  matrix.include = {row({{"compute", "cuda/*"}, {"runner", "large"}}),
                    row({{"compute", "{cuda,rocm}/*"}, {"python", "3.[19]*"}, {"runner", "own"}})};
  CHECK(combined(matrix) == std::vector<std::string>{
                                "python=3.9 compute=cpu",
                                "python=3.9 compute=rocm/7.1 runner:own",
                                "python=3.10 compute=cpu",
                                "python=3.10 compute=cuda/12.6 runner:own",
                                "python=3.10 compute=cuda/13.0 runner:own",
                                "python=3.11 compute=cpu",
                                "python=3.11 compute=cuda/12.6 runner:own",
                                "python=3.11 compute=cuda/13.0 runner:own",
                            });
}

TEST_CASE("a value is compared exactly, also one that looks like a glob") {
  Matrix matrix;
  matrix.axes = {{"flag", {"-O*", "-O2", "-O23"}, {}}};
  matrix.exclude = {row({{"flag", "-O*"}})};
  CHECK(combined(matrix) == std::vector<std::string>{"flag=-O2", "flag=-O23"});
  matrix.exclude = {row({{"flag", "-O2"}})};
  CHECK(combined(matrix) == std::vector<std::string>{"flag=-O*", "flag=-O23"});
}

TEST_CASE("a pattern that matches no combination is no value to add") {
  Matrix matrix = fruits();
  matrix.include = {row({{"fruit", "plum*"}, {"color", "blue"}})};
  const Result<Combined> refused = combine(matrix);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == ErrorKind::config);
  CHECK(refused.error().message == "this `include` matches no combination");
  CHECK(refused.error().at->line == 9);
}

TEST_CASE("an appended row remembers its include") {
  Matrix matrix = fruits();
  matrix.include = {row({{"fruit", "banana"}, {"animal", "cat"}})};
  const Combined result = combine(matrix).value();
  CHECK(result.rows.front().at.line == 0);
  CHECK(result.rows.back().at.line == 9);
}

TEST_CASE("rows are looked up by their values, however many there are") {
  constexpr int kValues = 20'000;
  Matrix matrix;
  matrix.axes = {{"number", {}, {}}, {"letter", {"a", "b"}, {}}};
  matrix.attributes = {"color"};
  for (int i = 0; i < kValues; ++i) {
    const std::string value = std::to_string(i);
    matrix.axes[0].values.push_back(value);
    if (i % 2 == 0) matrix.exclude.push_back(row({{"number", value}, {"letter", "a"}}));
    if (i % 4 == 1) matrix.exclude.push_back(row({{"number", value}}));
    matrix.include.push_back(row({{"color", value}, {"number", value}}));
  }
  const Combined result = combine(matrix).value();
  CHECK(result.warnings.empty());
  // Of four numbers: two keep one letter, one keeps none and is appended, one keeps both.
  CHECK(result.rows.size() == kValues / 4 * 5);
  for (const Combination& each : result.rows) {
    REQUIRE(each.attributes.size() == 1);
    REQUIRE(each.attributes[0].second == each.axes[0].second);
  }
}
