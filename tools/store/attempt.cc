#include "store/attempt.h"

#include <algorithm>
#include <charconv>

#include "base/digest.h"
#include "base/text.h"

namespace pinwheel::store {

std::string artifact_of(std::string_view step) {
  // The names of artifacts allow few characters, and ids of tests on images may differ only in
  // others.
  constexpr size_t kShortDigest = 8;
  std::string name(step);
  for (char& each : name) {
    if (!is_alphanumeric(each) && each != '.' && each != '_') each = '-';
  }
  if (step.find('@') != std::string_view::npos) {
    name += "-" + sha256_hex(step).substr(0, kShortDigest);
  }
  return name;
}

bool is_artifact_of(std::string_view artifact, std::string_view step) {
  const std::string before = "result-" + artifact_of(step) + "-";
  return artifact.starts_with(before) && attempt_of(artifact) > 0 &&
         artifact.rfind('-') + 1 == before.size();
}

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
