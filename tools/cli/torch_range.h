#pragma once
#include <string>

#include "base/result.h"
#include "pep/specifier.h"

namespace pinwheel::cli {

/// The clauses of "torch>=2.10" or ">=2.10", as an option has them; `usage` names the option.
Result<pep::SpecifierSet> parse_torch_range(const std::string& option, const std::string& text);

}  // namespace pinwheel::cli
