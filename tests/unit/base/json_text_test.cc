#include "base/json_text.h"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "unit/catch.h"

using namespace pinwheel;

TEST_CASE("a text is appended as the library of JSON prints it") {
  const std::vector<std::string> texts = {"",
                                          "plain",
                                          "a \"quoted\" name",
                                          R"(back\slash)",
                                          "line\nend\x7f",
                                          "tab\tand",
                                          "gr\xc3\xbc\xc3\x9f",
                                          std::string("nul\0l", 5)};
  for (const std::string& text : texts) {
    std::string json = "before";
    append_json_text(text, json);
    CHECK(json == "before" + nlohmann::json(text).dump());
  }
  for (const std::vector<std::string>& list : {texts, {}, {"one"}}) {
    std::string json;
    append_json_list(list, json);
    CHECK(json == nlohmann::json(list).dump());
  }
}
