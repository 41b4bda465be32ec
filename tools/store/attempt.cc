#include "store/attempt.h"

#include <algorithm>
#include <charconv>

namespace pinwheel::store {

uint64_t attempt_of(std::string_view artifact) {
  const size_t dash = artifact.rfind('-');
  if (dash == std::string_view::npos) return 0;
  const std::string_view digits = artifact.substr(dash + 1);
  uint64_t number = 0;
  const char* const end = digits.data() + digits.size();
  const auto [at, failed] = std::from_chars(digits.data(), end, number);
  return failed == std::errc() && at == end ? number : 0;
}

std::vector<std::string> latest_first(std::vector<std::string> artifacts) {
  std::ranges::sort(artifacts, [](const std::string& a, const std::string& b) {
    const uint64_t of_a = attempt_of(a);
    const uint64_t of_b = attempt_of(b);
    return of_a == of_b ? a < b : of_a > of_b;
  });
  return artifacts;
}

}  // namespace pinwheel::store
