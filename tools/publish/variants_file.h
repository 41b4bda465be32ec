#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "pep/wheel_name.h"
#include "wheel/variant_metadata.h"

namespace pinwheel::publish {

/// The metadata of all wheel variants of each version of a project, by the version's text.
using VersionVariants = std::map<std::string, wheel::VariantMetadata>;

/// The name of the file that describes all variants of the wheel's version (PEP 825, a draft):
/// "my_ops-1.2.0-variants.json".
std::string variants_file_name(const pep::WheelName& wheel);
bool is_variants_file(std::string_view filename);

/// A wheel variant, and what its `variant.json` states.
struct VariantWheel {
  std::string filename;
  pep::WheelName name;
  wheel::VariantMetadata metadata;
};

/// Adds the variant of a wheel to those of its version. `listed` is the highest build number of the
/// wheels with that label that were added before, absent if there are none: a lower number adds
/// nothing, and a higher one replaces the properties. Kind `check` if the wheel contradicts the
/// others: another draft, other priorities or providers, or other properties for its label.
Done add_variant(wheel::VariantMetadata& all, const VariantWheel& wheel,
                 const std::optional<pep::BuildTag>& listed);

/// Kind `check` if two labels stand for the same properties, so that installers could not tell them
/// apart.
Done check_distinct(const wheel::VariantMetadata& all);

/// The variants of wheels that are published together, by project and version. Errors of both.
Result<std::map<std::string, VersionVariants>> variants_of(std::vector<VariantWheel> wheels);

}  // namespace pinwheel::publish
