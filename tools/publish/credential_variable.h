#pragma once
#include <string>
#include <string_view>

namespace pinwheel::publish {

/// The variable with a credential of a target: the prefix and the name in capitals, with `_` for
/// everything except letters and digits. "PINWHEEL_TOKEN_", "test.pypi": PINWHEEL_TOKEN_TEST_PYPI.
std::string credential_variable(std::string_view prefix, std::string_view target);

}  // namespace pinwheel::publish
