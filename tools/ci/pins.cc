#include "ci/pins.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace pinwheel::ci {

std::string pinned(std::string_view action) {
  return pinned(action, {});
}

std::string pinned(std::string_view action, std::string_view below) {
  const auto* const found = std::ranges::find(kPins, action, &Pin::action);
  if (found == kPins.end()) throw std::logic_error("an action without a pin");
  return fmt::format("{}{}{}@{} # {}", found->action, below.empty() ? "" : "/", below,
                     found->commit, found->version);
}

}  // namespace pinwheel::ci
