#include "env/newer_name.h"

#include <cstddef>

#include "base/text.h"

namespace pinwheel::env {

bool is_newer_name(const std::string& left, const std::string& right) {
  size_t i = 0;
  size_t j = 0;
  while (i < left.size() && j < right.size()) {
    if (is_digit(left[i]) && is_digit(right[j])) {
      size_t a = 0;
      size_t b = 0;
      while (i < left.size() && is_digit(left[i])) {
        a = a * 10 + static_cast<size_t>(left[i++] - '0');
      }
      while (j < right.size() && is_digit(right[j])) {
        b = b * 10 + static_cast<size_t>(right[j++] - '0');
      }
      if (a != b) return a > b;
    } else if (left[i] != right[j]) {
      return left[i] > right[j];
    } else {
      ++i;
      ++j;
    }
  }
  return left.size() > right.size();
}

}  // namespace pinwheel::env
