#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "matrix/variant.h"

namespace pinwheel::matrix {

/// The placeholders that only the plan can fill; they stay as they are.
inline const std::vector<std::string> kPlanPlaceholders = {"package", "dest_dir", "version",
                                                           "project", "wheel"};

/// Which braces `expand_template` leaves for the plan.
enum class Placeholders {
  variant,           ///< only the variant's own; any other is an error
  variant_and_plan,  ///< `kPlanPlaceholders` stay, and so do `{{` and `}}`
};

/// Fills the placeholders of a template for a variant: `{python}`, `{torch}` and every other axis
/// or attribute; `{compute.version}`, `{compute.family}`, `{compute.label}` (also `{label}`):
/// "13.0", "cuda", "cu130"; `{AXIS.nodot}`: the value without dots. `{{` and `}}` are braces. A
/// placeholder that the variant has no value for is a `config` error at `at`.
Result<std::string> expand_template(std::string_view text, const Variant& variant,
                                    const Location& at,
                                    Placeholders placeholders = Placeholders::variant);

/// Whether every placeholder of the text stands for one of the `names` (axes and attributes), or
/// for the plan; else a `config` error at `at` with the nearest placeholder.
Done check_template(std::string_view text, const std::vector<std::string>& names,
                    const Location& at, Placeholders placeholders);

/// The second pass, by the plan: fills the placeholders that are in `values`, leaves others as they
/// are, and turns `{{` and `}}` into braces.
std::string fill_template(std::string_view text, const std::map<std::string, std::string>& values);

}  // namespace pinwheel::matrix
