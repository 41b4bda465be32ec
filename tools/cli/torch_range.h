#pragma once
#include <string>

#include "base/result.h"
#include "pep/specifier.h"

namespace pinwheel::cli {

/// Parses an option such as "torch>=2.10" or ">=2.10"; `usage` errors name the option.
Result<pep::SpecifierSet> parse_torch_range(const std::string& option, const std::string& text);

}  // namespace pinwheel::cli
