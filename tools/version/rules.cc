#include "version/rules.h"

#include <array>

namespace pinwheel::version {
namespace {
constexpr std::array<std::string_view, 4> kNames = {"ci", "nightly", "test", "release"};
}

std::string_view to_string(Channel channel) {
  return kNames.at(static_cast<size_t>(channel));
}

std::optional<Channel> parse_channel(std::string_view name) {
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (kNames.at(i) == name) return static_cast<Channel>(i);
  }
  return std::nullopt;
}

}  // namespace pinwheel::version
