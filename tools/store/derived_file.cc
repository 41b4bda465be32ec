#include "store/derived_file.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "base/text.h"

namespace pinwheel::store {
namespace {

constexpr const char* kIdenticalCode = "identical";

}  // namespace

std::string derivation_line(const DerivedFile& derived) {
  std::string changes = fmt::format("{} identical, {} rewritten", plural(derived.identical, "file"),
                                    derived.rewritten.size());
  if (!derived.added.empty()) changes += fmt::format(", {} added", derived.added.size());
  if (!derived.dropped.empty()) changes += fmt::format(", {} dropped", derived.dropped.size());
  return fmt::format("{} has the code of {}: {}", quoted(derived.file), quoted(derived.source),
                     changes);
}

nlohmann::ordered_json derived_object(const DerivedFile& derived) {
  return {{"file", derived.file},           {"source", derived.source},
          {"code", kIdenticalCode},         {"identical", derived.identical},
          {"rewritten", derived.rewritten}, {"added", derived.added},
          {"dropped", derived.dropped}};
}

DerivedFile derived_from(const nlohmann::json& json) {
  if (json.at("code").get<std::string>() != kIdenticalCode) {
    throw std::invalid_argument("a derived file has other code than its source");
  }
  return {json.at("file").get<std::string>(),
          json.at("source").get<std::string>(),
          json.at("identical").get<uint64_t>(),
          json.at("rewritten").get<std::vector<std::string>>(),
          json.at("added").get<std::vector<std::string>>(),
          json.at("dropped").get<std::vector<std::string>>()};
}

}  // namespace pinwheel::store
