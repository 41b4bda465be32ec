#include "wheel/member_order.h"

#include <utility>

namespace pinwheel::wheel {

bool sorts_before(const std::string& info, std::string_view left, std::string_view right) {
  const auto rank = [&](std::string_view member) {
    if (member == info + "RECORD") return 2;
    return member.starts_with(info) ? 1 : 0;
  };
  return std::pair(rank(left), left) < std::pair(rank(right), right);
}

}  // namespace pinwheel::wheel
