#include "pep/wheel_variant.h"

#include <algorithm>

#include "base/text.h"

namespace pinwheel::pep {
namespace {

bool consists_of(std::string_view text, std::string_view others) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [others](char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || others.find(c) != std::string_view::npos;
  });
}

}  // namespace

std::string_view to_string(VariantDraft draft) {
  switch (draft) {
    case VariantDraft::pep850:
      return "pep850";
    case VariantDraft::pep825:
      return "pep825";
  }
  return {};
}

std::optional<VariantDraft> parse_variant_draft(std::string_view word) {
  for (const VariantDraft draft : kVariantDrafts) {
    if (to_string(draft) == word) return draft;
  }
  return std::nullopt;
}

bool is_variant_label(std::string_view text) {
  return consists_of(text, "._");
}

Done check_variant_label(const std::string& label) {
  if (is_variant_label(label) && label.size() <= kLongestLabel) return {};
  return fail(ErrorKind::config, quoted(label) + " is not the label of a wheel variant",
              "a label has 1 to " + std::to_string(kLongestLabel) +
                  " lower-case letters, digits, `.` and `_`, such as `cu130`");
}

bool is_variant_name(std::string_view text) {
  return consists_of(text, "_");
}

bool is_variant_value(std::string_view text) {
  return consists_of(text, "_.");
}

std::string to_string(const VariantProperty& property) {
  return property.name_space + " :: " + property.feature + " :: " + property.value;
}

}  // namespace pinwheel::pep
