#include "inspect/claim.h"

#include <nlohmann/json.hpp>

#include "base/json.h"

namespace pinwheel::inspect {
namespace {

constexpr const char* kDerivedFrom = "derived-from";

}  // namespace

Result<Claim> claim_of(std::string_view record_json) {
  using List = std::vector<std::string>;
  try {
    const nlohmann::json record = parse_json(record_json);
    if (record.contains(kDerivedFrom) && !record.contains("built-with")) return Claim{};
    const nlohmann::json& built_with = record.at("built-with");
    Claim claim;
    List list = record.at("architectures").get<List>();
    const auto compute = built_with.at("compute").get<std::string>();
    claim.compute = compute;
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

Result<std::string> with_origin(std::string_view record_json, const Origin& origin) {
  nlohmann::json record = {{"schema", "pinwheel-wheel/1"}};
  if (!record_json.empty()) record = read_json(record_json);
  if (!record.is_object()) return fail(ErrorKind::check, "it is not a build record");
  nlohmann::json derived = {{"file", origin.file}, {"sha256", origin.sha256}};
  // A wheel may be derived from a derived one.
  if (record.contains(kDerivedFrom)) derived[kDerivedFrom] = record[kDerivedFrom];
  record[kDerivedFrom] = std::move(derived);
  return record.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace pinwheel::inspect
