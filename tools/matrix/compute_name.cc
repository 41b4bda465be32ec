#include "matrix/compute_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "base/text.h"
#include "matrix/axis_value.h"
#include "matrix/config_error.h"

namespace pinwheel::matrix {
namespace {

bool is_release(std::string_view text) {
  const std::vector<std::string> components = split(text, '.');
  return components.size() <= 3 &&
         std::all_of(components.begin(), components.end(), [](const std::string& component) {
           return !component.empty() && std::all_of(component.begin(), component.end(), is_digit);
         });
}

/// A label has no dots: "130" is 13.0, "71" is 7.1.
std::string release_of(std::string digits) {
  const bool label = digits.find('.') == std::string::npos && digits.size() > 1;
  if (label && (digits.size() > 2 || digits.front() > '2')) digits.insert(digits.size() - 1, ".");
  return digits;
}

/// "cuda/13.0" for "cuda-13.0", "CUDA 13.0", "cuda13.0" and "cu130"; nullopt for another family.
std::optional<std::string> meant(std::string_view value) {
  const std::string lower = to_lower(value);
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kFamilies = {
      {{"cuda", "cuda"}, {"cu", "cuda"}, {"rocm", "rocm"}, {"hip", "rocm"}}};
  for (const auto& [start, family] : kFamilies) {
    if (!lower.starts_with(start)) continue;
    std::string_view rest = std::string_view(lower).substr(start.size());
    rest.remove_prefix(std::min(rest.find_first_not_of("/-_:=@ v"), rest.size()));
    if (is_release(rest)) return fmt::format("{}/{}", family, release_of(std::string(rest)));
    if (rest.empty()) return fmt::format("{}/X.Y", family);
  }
  return std::nullopt;
}

}  // namespace

Done check_compute(const std::string& value, const Location& at) {
  const Compute compute = split_compute(value);
  const bool toolkit = compute.family == "cuda" || compute.family == "rocm";
  if (value == "cpu" || (toolkit && is_release(compute.version))) return {};
  std::string hint = "write one of these; an axis with another name takes any value";
  if (const std::optional<std::string> name = meant(value)) {
    const bool complete = !name->ends_with('Y');
    hint = complete ? fmt::format("did you mean {}?", quoted(*name))
                    : fmt::format("add the version of the toolkit: {}", quoted(*name));
  } else if (to_lower(value) == "cpu") {
    hint = "did you mean `cpu`?";
  }
  return fail(config_error(
      fmt::format("a compute is `cpu`, `cuda/X.Y` or `rocm/X.Y`, and {} is not", quoted(value)), at,
      std::move(hint)));
}

}  // namespace pinwheel::matrix
