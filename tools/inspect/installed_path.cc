#include "inspect/installed_path.h"

namespace pinwheel::inspect {

std::optional<std::string> installed_path(std::string_view member) {
  constexpr std::string_view kData = ".data/";
  const size_t at = member.find(kData);
  if (at == std::string_view::npos || member.find('/') != at + kData.size() - 1) {
    return std::string(member);
  }
  const std::string_view rest = member.substr(at + kData.size());
  for (const std::string_view root : {"platlib/", "purelib/"}) {
    if (rest.starts_with(root)) return std::string(rest.substr(root.size()));
  }
  return std::nullopt;
}

std::optional<std::string> library_path(const WheelFacts& facts, std::string_view member) {
  if (!facts.dist_info.empty() && member.starts_with(facts.dist_info + "/")) return std::nullopt;
  return installed_path(member);
}

}  // namespace pinwheel::inspect
