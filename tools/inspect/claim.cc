#include "inspect/claim.h"

#include <nlohmann/json.hpp>

namespace pinwheel::inspect {

Result<std::optional<std::vector<std::string>>> claimed_arch_list(std::string_view record_json) {
  using List = std::vector<std::string>;
  try {
    const nlohmann::json record = nlohmann::json::parse(record_json);
    List list = record.at("architectures").get<List>();
    const std::string compute = record.at("built-with").at("compute").get<std::string>();
    if (list.empty() && compute != "cpu") return std::nullopt;
    return list;
  } catch (const nlohmann::json::exception& error) {
    return fail(ErrorKind::check, std::string("it is no build record: ") + error.what());
  }
}

Result<std::optional<std::string>> claimed_torch(std::string_view record_json) {
  try {
    const nlohmann::json record = nlohmann::json::parse(record_json);
    const std::string torch = record.at("built-with").value("torch", std::string());
    return torch.empty() ? std::nullopt : std::optional<std::string>(torch);
  } catch (const nlohmann::json::exception& error) {
    return fail(ErrorKind::check, std::string("it is no build record: ") + error.what());
  }
}

}  // namespace pinwheel::inspect
