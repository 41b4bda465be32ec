#include "report/github_row.h"

namespace pinwheel::report {

nlohmann::ordered_json github_row(const matrix::Variant& variant, const std::string& build) {
  nlohmann::ordered_json row = {{"id", variant.id}, {"build", build}};
  for (const auto& [name, value] : variant.axes) row[name] = value;
  for (const auto& [name, value] : variant.attributes) row[name] = value;
  return row;
}

}  // namespace pinwheel::report
