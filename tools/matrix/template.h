#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "matrix/variant.h"

namespace pinwheel::matrix {

/// The placeholders that only the plan can fill; `expand_template` keeps them.
inline const std::vector<std::string> kPlanPlaceholders = {
    "package", "dest_dir", "version", "project", "wheel", "arch-list.cmake"};

/// The braces that `expand_template` keeps for the plan.
enum class Placeholders {
  variant,           ///< only the variant's placeholders; any other is an error
  variant_and_plan,  ///< `kPlanPlaceholders`, `{{` and `}}` are kept
};

/// Expands the placeholders of a template for a variant: `{python}`, `{torch}` and every other axis
/// or attribute; `{compute.version}`, `{compute.family}`, `{compute.label}` (also `{label}`):
/// "13.0", "cuda", "cu130"; `{AXIS.nodot}`: the value without dots. `{{` and `}}` are escaped
/// braces. A placeholder without a value in the variant is a `config` error at `at`.
Result<std::string> expand_template(std::string_view text, const Variant& variant,
                                    const Location& at,
                                    Placeholders placeholders = Placeholders::variant);

/// Checks that every placeholder names one of `names` (axes and attributes) or is the plan's; else
/// a `config` error at `at` with the nearest placeholder.
Done check_template(std::string_view text, const std::vector<std::string>& names,
                    const Location& at, Placeholders placeholders);

/// The second pass, for the plan: expands the placeholders in `values`, keeps others, and unescapes
/// `{{` and `}}`.
std::string fill_template(std::string_view text, const std::map<std::string, std::string>& values);

}  // namespace pinwheel::matrix
