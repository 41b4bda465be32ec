#pragma once
#include <string_view>

namespace pinwheel::env {

/// Whether a variable of the user's says how to reach the network: proxies and certificates, in
/// either case.
bool is_network_variable(std::string_view name);

/// Whether a variable of the user's tells pip where to find packages and how to ask for them. Those
/// that say what is installed where (`PIP_TARGET`, `PIP_USER`, ...) are pinwheel's to say, in its
/// own calls of pip and in those of a build.
bool is_pip_setting(std::string_view name);

}  // namespace pinwheel::env
