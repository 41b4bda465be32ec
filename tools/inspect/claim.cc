#include "inspect/claim.h"

#include <nlohmann/json.hpp>

#include "base/json.h"

namespace pinwheel::inspect {

Result<Claim> claim_of(std::string_view record_json) {
  using List = std::vector<std::string>;
  try {
    const nlohmann::json record = parse_json(record_json);
    const nlohmann::json& built_with = record.at("built-with");
    Claim claim;
    List list = record.at("architectures").get<List>();
    const auto compute = built_with.at("compute").get<std::string>();
    // The architectures in code of other computes cannot be read here.
    const bool readable = compute.empty() || compute == "cpu" || compute.starts_with("cuda") ||
                          compute.starts_with("rocm");
    if (readable && (!list.empty() || compute == "cpu")) claim.arch_list = std::move(list);
    const std::string torch = built_with.value("torch", std::string());
    if (!torch.empty()) claim.torch = torch;
    claim.variants = record.value("variants", List());
    return claim;
  } catch (const nlohmann::json::exception& error) {
    return fail(ErrorKind::check, std::string("it is not a build record: ") + error.what());
  }
}

}  // namespace pinwheel::inspect
