#include "matrix/condition.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"

namespace pinwheel::matrix {
namespace {

/// Whether the dot at `at` ends a version component: true for "12.6", false for "a.b".
bool ends_component(std::string_view value, size_t at) {
  const auto digit = [&](size_t i) {
    return i < value.size() && std::isdigit(static_cast<unsigned char>(value[i])) != 0;
  };
  return at > 0 && value[at] == '.' && digit(at - 1) && digit(at + 1);
}

}  // namespace

bool value_matches(std::string_view pattern, std::string_view value) {
  if (!is_glob(pattern)) {
    return value.starts_with(pattern) &&
           (value.size() == pattern.size() || ends_component(value, pattern.size()));
  }
  if (glob_match(pattern, value)) return true;
  for (size_t at = value.find('.'); at != std::string_view::npos; at = value.find('.', at + 1)) {
    if (ends_component(value, at) && glob_match(pattern, value.substr(0, at))) return true;
  }
  return false;
}

bool values_match(const std::vector<std::string>& patterns, std::string_view value) {
  bool any_plain = false;
  bool taken = false;
  for (std::string_view pattern : patterns) {
    if (pattern.starts_with('!')) {
      if (value_matches(pattern.substr(1), value)) return false;
    } else {
      any_plain = true;
      taken = taken || value_matches(pattern, value);
    }
  }
  return taken || !any_plain;
}

bool matches(const When& when, const Variant& variant) {
  return std::all_of(when.begin(), when.end(), [&](const auto& entry) {
    return values_match(entry.second, variant.get(entry.first));
  });
}

Condition::Condition(const When& when) {
  for (const auto& [axis, patterns] : when) axes_.push_back({axis, patterns, {}});
}

bool Condition::matches(const Variant& variant) {
  return std::all_of(axes_.begin(), axes_.end(), [&](OnAxis& on) {
    const std::string& value = variant.get(on.axis);
    const auto known = on.verdicts.find(value);
    if (known != on.verdicts.end()) return known->second;
    const bool verdict = values_match(on.patterns, value);
    on.verdicts.emplace(value, verdict);
    return verdict;
  });
}

}  // namespace pinwheel::matrix
