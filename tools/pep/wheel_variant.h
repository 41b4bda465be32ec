#pragma once
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace pinwheel::pep {

/// The drafts of wheel variants that are written: PEP 825 (the format) and PEP 850 (the same with
/// the providers that tell an installer what a machine supports).
enum class VariantDraft { pep850, pep825 };

inline constexpr std::array kVariantDrafts = {VariantDraft::pep850, VariantDraft::pep825};

/// "pep850", "pep825".
std::string_view to_string(VariantDraft draft);
/// The inverse; nullopt for another word.
std::optional<VariantDraft> parse_variant_draft(std::string_view word);

/// The label of the variant without properties, which every machine supports.
inline constexpr std::string_view kNullVariant = "null";
inline constexpr size_t kLongestLabel = 16;

/// Whether the text can be the last part of a wheel's file name (PEP 825): one or more of
/// `[0-9a-z._]`.
bool is_variant_label(std::string_view text);
/// That it is a label that every draft accepted: no longer than `kLongestLabel`. Kind `config`.
Done check_variant_label(const std::string& label);
/// Whether it can name a namespace or a feature: `[a-z0-9_]`.
bool is_variant_name(std::string_view text);
/// Whether it can be the value of a feature: `[a-z0-9_.]`.
bool is_variant_value(std::string_view text);

/// What a machine must support: "nvidia :: sm_arch :: 90_real".
struct VariantProperty {
  std::string name_space;
  std::string feature;
  std::string value;

  auto operator<=>(const VariantProperty&) const = default;
};
std::string to_string(const VariantProperty& property);

}  // namespace pinwheel::pep
