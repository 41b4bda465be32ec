#pragma once
#include <span>
#include <string_view>

#include "base/result.h"

namespace pinwheel::pep {

/// The ids of SPDX's list in lower case, sorted.
std::span<const std::string_view> spdx_licenses();
std::span<const std::string_view> spdx_exceptions();

/// Checks a License-Expression (PEP 639) as PyPI does: ids of SPDX's list or `LicenseRef-...` in
/// any case, joined by `AND`, `OR`, `WITH` and parentheses. Kind `check`, with the nearest id.
Done check_license_expression(std::string_view text);

}  // namespace pinwheel::pep
