#include "matrix/compute_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "base/text.h"
#include "matrix/axis_value.h"
#include "matrix/condition.h"
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
std::optional<std::string> intended_compute(std::string_view value) {
  const std::string lower = to_lower(value);
  if (lower == "cpu" || lower == "xpu") return lower;
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kSpellings = {
      {{"cuda", "cuda"}, {"cu", "cuda"}, {"rocm", "rocm"}, {"hip", "rocm"}, {"xpu", "xpu"}}};
  for (const auto& [start, family] : kSpellings) {
    if (!lower.starts_with(start)) continue;
    std::string_view rest = std::string_view(lower).substr(start.size());
    rest.remove_prefix(std::min(rest.find_first_not_of("/-_:=@ v"), rest.size()));
    const bool dated = family == "xpu";  // 2025.1 is not a label
    if (is_release(rest)) {
      return fmt::format("{}/{}", family, dated ? rest : release_of(std::string(rest)));
    }
    if (rest.empty()) return fmt::format("{}/X.Y", family);
  }
  return std::nullopt;
}

/// The nearest of the names, or the value with the nearest family: "cuda/13.0" for "cdua/13.0".
std::optional<std::string> nearest_compute(const std::string& value,
                                           const DeclaredComputes& computes) {
  std::vector<std::string> names = {"cpu", "xpu"};
  std::vector<std::string> families = {"cuda", "rocm", "xpu"};
  for (const DeclaredCompute& each : computes) {
    names.push_back(each.name);
    if (each.name.find('/') == std::string::npos) families.push_back(each.name);
  }
  if (std::optional<std::string> name = intended_compute(value)) return name;
  const Compute parts = split_compute(value);
  const std::optional<std::string> family =
      is_release(parts.version) ? nearest(parts.family, families) : std::nullopt;
  return family ? fmt::format("{}/{}", *family, parts.version) : nearest(value, names);
}

bool is_declarable(std::string_view name) {
  const auto allowed = [](char c) {
    return is_alphanumeric(c) || c == '.' || c == '_' || c == '-' || c == '/';
  };
  return std::all_of(name.begin(), name.end(), allowed) && is_alphanumeric(name.front()) &&
         is_alphanumeric(name.back()) && std::count(name.begin(), name.end(), '/') <= 1;
}

}  // namespace

bool is_known_compute(std::string_view value) {
  if (value == "cpu" || value == "xpu") return true;
  const Compute compute = split_compute(value);
  const bool toolkit =
      compute.family == "cuda" || compute.family == "rocm" || compute.family == "xpu";
  return toolkit && is_release(compute.version);
}

const DeclaredCompute* find_declared(const DeclaredComputes& computes, std::string_view value) {
  const auto named = [&computes](std::string_view name) {
    const auto found = std::ranges::find(computes, name, &DeclaredCompute::name);
    return found == computes.end() ? nullptr : &*found;
  };
  if (const DeclaredCompute* const own = named(value)) return own;
  const size_t slash = value.find('/');
  return slash == std::string_view::npos ? nullptr : named(value.substr(0, slash));
}

Done check_compute(const std::string& value, const DeclaredComputes& computes, const Location& at) {
  if (is_known_compute(value)) return {};
  const bool declared = find_declared(computes, value) != nullptr && is_declarable(value);
  if (declared) return {};
  std::string hint = fmt::format(
      "known are `cpu`, `cuda/X.Y`, `rocm/X.Y`, `xpu` and `xpu/X.Y`; another needs a line in the "
      "matrix: {}",
      quoted(fmt::format("computes: {{{}: {{hardware: none}}}}", value)));
  if (const std::optional<std::string> name = nearest_compute(value, computes)) {
    hint = name->ends_with('Y') ? fmt::format("add the version of the toolkit: {}", quoted(*name))
                                : fmt::format("did you mean {}?", quoted(*name));
  }
  return fail(config_error(fmt::format("unknown compute {}", quoted(value)), at, std::move(hint)));
}

Done check_declared_name(const std::string& name, const Location& at) {
  if (!is_declarable(name) || name == "default") {
    return fail(config_error(fmt::format("{} cannot be the name of a compute", quoted(name)), at,
                             "names consist of letters, digits, `.`, `_` and `-`, with a `/` "
                             "before the version: `gaudi/1.22`"));
  }
  const std::optional<std::string> other = is_known_compute(name) ? name : intended_compute(name);
  if (!other || other->ends_with('Y')) return {};
  return fail(config_error(
      *other == name ? fmt::format("the compute {} is known without a line", quoted(name))
                     : fmt::format("{} is another spelling of {}", quoted(name), quoted(*other)),
      at,
      *other == name ? "set `environment.torch.index` and `test.hardware` by value for it"
                     : fmt::format("use {} in the axis and remove this line", quoted(*other))));
}

std::string label_of_compute(const DeclaredComputes& computes, std::string_view value,
                             size_t components) {
  const DeclaredCompute* const line = find_declared(computes, value);
  if (line == nullptr || line->label.empty()) return compute_label(value, components);
  if (line->name == value) return line->label;
  return line->label + leading(components, split_compute(value).version);
}

std::string full_label_of_compute(const DeclaredComputes& computes, std::string_view value) {
  const DeclaredCompute* const line = find_declared(computes, value);
  if (line == nullptr || line->label.empty()) return full_compute_label(value);
  return label_of_compute(computes, value, std::string::npos);
}

bool matches_compute(std::string_view pattern, const Variant& variant) {
  const size_t at = pattern.find('@');
  const std::string_view compute = pattern.substr(0, at);
  if (!compute.empty() && !value_matches(compute, variant.get("compute"))) return false;
  return at == std::string_view::npos || value_matches(pattern.substr(at + 1), variant.get("arch"));
}

}  // namespace pinwheel::matrix
