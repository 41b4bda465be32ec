#pragma once
#include <string_view>

namespace pinwheel::env {

/// Whether a user's variable configures network access: proxies and certificates, in upper or lower
/// case.
bool is_network_variable(std::string_view name);

/// Whether a user's variable tells pip where to find packages and how to request them. Those that
/// control what is installed where (`PIP_TARGET`, `PIP_USER`, ...) are not: pinwheel decides that,
/// for its own calls of pip and for those of a build.
bool is_pip_setting(std::string_view name);

}  // namespace pinwheel::env
