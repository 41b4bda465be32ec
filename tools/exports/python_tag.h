#pragma once
#include <algorithm>
#include <string_view>
#include <utility>

namespace pinwheel::exports {

/// Whether a Python tag sorts before another, by the number in it: cp39, cp310, cp313, cp313t.
inline bool python_before(std::string_view left, std::string_view right) {
  const auto key = [](std::string_view tag) {
    const auto digits = static_cast<size_t>(
        std::count_if(tag.begin(), tag.end(), [](char c) { return c >= '0' && c <= '9'; }));
    return std::pair(digits, tag);
  };
  return key(left) < key(right);
}

}  // namespace pinwheel::exports
