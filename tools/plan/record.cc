#include "plan/record.h"

#include <nlohmann/json.hpp>

#include "base/json.h"

namespace pinwheel::plan {

std::string record_json(const BuildRecord& record) {
  const nlohmann::json json = {{"schema", "pinwheel-wheel/1"},
                               {"class", record.cls.id},
                               {"variants", record.cls.members},
                               {"built-with",
                                {{"variant", record.cls.representative},
                                 {"torch", record.torch},
                                 {"compute", record.compute}}},
                               {"architectures", record.arch_list},
                               {"commit", record.commit}};
  return json.dump(2) + "\n";
}

std::string with_recipe(const std::string& record, const std::string& recipe) {
  nlohmann::json json = parse_json(record);
  json["recipe"] = recipe;
  return json.dump(2) + "\n";
}

}  // namespace pinwheel::plan
