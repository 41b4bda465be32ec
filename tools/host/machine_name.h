#pragma once
#include <string>

namespace pinwheel::host {

/// What this machine is called in platform tags, "x86_64".
std::string machine_name();

}  // namespace pinwheel::host
