#include "matrix/secret_name.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text.h"

namespace pinwheel::matrix {
namespace {

constexpr std::array<std::string_view, 13> kSet = {
    "PATH",       "HOME", "TMPDIR",  "LANG",           "LC_ALL",
    "TZ",         "USER", "CC",      "PYTHONHASHSEED", "PYTHONDONTWRITEBYTECODE",
    "LD_PRELOAD", "CXX",  "MAX_JOBS"};
/// docker and podman read variables with these prefixes themselves, which are passed to a container
/// by value.
constexpr std::array<std::string_view, 4> kOfEngines = {"DOCKER_", "CONTAINER", "BUILDKIT_",
                                                        "XDG_"};

}  // namespace

bool is_variable(std::string_view name) {
  const bool begins = !name.empty() && (name[0] < '0' || name[0] > '9');
  return begins && std::all_of(name.begin(), name.end(),
                               [](char c) { return is_alphanumeric(c) || c == '_'; });
}

std::optional<std::string> secret_name_problem(const std::string& name) {
  if (!is_variable(name)) return "is not the name of a variable";
  if (std::find(kSet.begin(), kSet.end(), name) != kSet.end()) return "is set by pinwheel itself";
  if (name.starts_with("PINWHEEL_")) return "is for pinwheel, not for builds";
  const bool of_engine =
      std::any_of(kOfEngines.begin(), kOfEngines.end(),
                  [&name](std::string_view prefix) { return name.starts_with(prefix); });
  if (of_engine) return "is read by container engines themselves";
  return std::nullopt;
}

}  // namespace pinwheel::matrix
