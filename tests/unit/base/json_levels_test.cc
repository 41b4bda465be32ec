#include "base/json.h"

#include <string>

#include "unit/catch.h"

using namespace pinwheel;

TEST_CASE("the levels of a JSON text are those of its lists and objects, not of its strings") {
  CHECK(json_levels("") == 0);
  CHECK(json_levels("1") == 0);
  CHECK(json_levels(R"({"a": [1, {"b": []}], "c": {}})") == 4);
  CHECK(json_levels(R"(["[[[[", "\"[[[", "\\", [1]])") == 2);
  CHECK(json_levels("[[],[],[]]") == 2);
  CHECK(json_levels(std::string(1'000'000, '[')) == 1'000'000);
  CHECK(json_levels("]]]}}}[") == 1);
}

TEST_CASE("a text of very many names is read in the end") {
  std::string text = "{";
  for (int i = 0; i < 100'000; ++i) text += "\"" + std::to_string(i) + "\":1,";
  text += "\"schema\":1}";
  CHECK(read_json(text).size() == 100'001);
}
