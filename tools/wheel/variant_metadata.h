#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "pep/wheel_variant.h"

// Wheel variants (drafts)
//
// Several wheels of one version can have the same tags and differ in what they need of a machine:
// a GPU driver, an architecture. Their file names end with a label, and `variant.json` in their
// dist-info directory states the properties behind it. `NAME-VERSION-variants.json` on the page of
// an index has the same for all wheels of a version, so that an installer chooses before it
// downloads one. A machine supports a variant if, for each feature, it supports one of its values.
// PEP 850 adds the providers: the packages that tell an installer what a machine supports.
namespace pinwheel::wheel {

/// Namespace -> feature -> values, sorted: {"nvidia": {"sm_arch": ["80_real", "90_real"]}}.
using VariantProperties = std::map<std::string, std::map<std::string, std::vector<std::string>>>;

/// The properties as lines, "nvidia :: sm_arch :: 80_real", in the order of the document.
std::vector<std::string> property_lines(const VariantProperties& properties);

/// How an installer finds out what a machine supports (PEP 850): by a plugin (`requirements`), by
/// comparison with fixed values (`static_properties`), or by itself (`builtin`).
struct VariantProvider {
  std::vector<std::string> requirements = {};
  std::optional<std::string> plugin_api = std::nullopt;
  std::map<std::string, std::vector<std::string>> static_properties = {};
  std::vector<std::string> feature_order = {};
  std::optional<std::string> builtin = std::nullopt;
  std::optional<bool> optional = std::nullopt;

  bool operator==(const VariantProvider&) const = default;
};

/// `variant.json`, which has one variant, or `NAME-VERSION-variants.json`, which has all of them.
struct VariantMetadata {
  std::string schema;                                      ///< the URL in `$schema`
  std::optional<pep::VariantDraft> draft = std::nullopt;   ///< absent for an earlier or unknown one
  std::vector<std::string> namespaces = {};                ///< by priority
  std::map<std::string, VariantProvider> providers = {};   ///< by namespace; PEP 850 only
  std::map<std::string, VariantProperties> variants = {};  ///< by label

  bool operator==(const VariantMetadata&) const = default;
};

/// The URL in `$schema` of a draft that is written.
std::string_view schema_of(pep::VariantDraft draft);

/// Reads either file, with the rules of its draft: no other keys, providers for exactly the
/// namespaces, properties only in these, and no properties for exactly the label `null`. Of an
/// earlier draft, such as those before PEP 825, only the properties are read. Kind `check` for
/// anything else.
Result<VariantMetadata> parse_variant_metadata(std::string_view json);

/// The document with sorted keys and an indentation of four, as `variantlib` writes it, and a
/// newline. `parse_variant_metadata` reads it back to an equal value.
std::string to_string(const VariantMetadata& metadata);

}  // namespace pinwheel::wheel
