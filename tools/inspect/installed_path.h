#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "inspect/wheel_facts.h"

namespace pinwheel::inspect {

/// Where a member comes to lie, seen from site-packages: "demo/_C.so" of
/// "demo-1.0.data/platlib/demo/_C.so"; nullopt for what lies elsewhere: scripts, headers, data.
std::optional<std::string> installed_path(std::string_view member);
/// The same, nullopt for metadata too.
std::optional<std::string> library_path(const WheelFacts& facts, std::string_view member);

}  // namespace pinwheel::inspect
