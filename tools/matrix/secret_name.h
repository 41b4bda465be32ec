#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace pinwheel::matrix {

/// Whether an environment variable can have that name: letters, digits and `_`, no digit first.
bool is_variable(std::string_view name);

/// Why a name cannot be that of a build secret: it is not the name of a variable, pinwheel sets
/// that variable itself, only uploads may have it, or a container engine would show its value among
/// its arguments. nullopt if it can.
std::optional<std::string> secret_name_problem(const std::string& name);

}  // namespace pinwheel::matrix
