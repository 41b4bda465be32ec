#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "inspect/wheel_facts.h"

namespace pinwheel::inspect {

/// The installed path of a member relative to site-packages: "demo/_C.so" for
/// "demo-1.0.data/platlib/demo/_C.so"; nullopt for members installed elsewhere: scripts, headers,
/// data.
std::optional<std::string> installed_path(std::string_view member);
/// The same, but also nullopt for metadata.
std::optional<std::string> library_path(const WheelFacts& facts, std::string_view member);

}  // namespace pinwheel::inspect
