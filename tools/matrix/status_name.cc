#include "matrix/status_name.h"

#include <array>

namespace pinwheel::matrix {
namespace {

constexpr std::array<std::string_view, 4> kNames = {"supported", "experimental", "unmaintained",
                                                    "unsupported"};

}  // namespace

std::string_view to_string(Status status) {
  return kNames.at(static_cast<size_t>(status));
}

std::optional<Status> parse_status(std::string_view name) {
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (kNames.at(i) == name) return static_cast<Status>(i);
  }
  return std::nullopt;
}

std::vector<std::string> status_names() {
  return {kNames.begin(), kNames.end()};
}

}  // namespace pinwheel::matrix
