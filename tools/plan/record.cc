#include "plan/record.h"

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/json_text.h"

namespace pinwheel::plan {

namespace {

/// Adds a list as the value of a key, as JSON with an indentation of 2 prints it.
void add_lines(const std::vector<std::string>& texts, std::string& json) {
  json += '[';
  for (size_t i = 0; i < texts.size(); ++i) {
    json += i == 0 ? "\n    " : ",\n    ";
    append_json_text(texts[i], json);
  }
  json += texts.empty() ? "]" : "\n  ]";
}

}  // namespace

std::string record_json(const BuildRecord& record) {
  // The text of a sorted object; a value of JSON for each build would take most of the time.
  std::string json = "{\n  \"architectures\": ";
  add_lines(record.arch_list, json);
  json += ",\n  \"built-with\": {\n    \"compute\": ";
  append_json_text(record.compute, json);
  json += ",\n    \"torch\": ";
  append_json_text(record.torch, json);
  json += ",\n    \"variant\": ";
  append_json_text(record.cls.representative, json);
  json += "\n  },\n  \"class\": ";
  append_json_text(record.cls.id, json);
  json += ",\n  \"commit\": ";
  append_json_text(record.commit, json);
  json += ",\n  \"schema\": \"pinwheel-wheel/1\",\n  \"variants\": ";
  add_lines(record.cls.members, json);
  return json + "\n}\n";
}

std::string with_recipe(const std::string& record, const std::string& recipe) {
  nlohmann::json json = parse_json(record);
  json["recipe"] = recipe;
  return json.dump(2) + "\n";
}

}  // namespace pinwheel::plan
