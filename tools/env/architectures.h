#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "env/toolkit.h"

namespace pinwheel::env {

/// Checks whether a toolkit's compiler supports one entry of an arch list ("9.0a", "12.0+PTX",
/// "gfx90a"), without compiling anything; exits 0 if it does. hipcc also needs the device library
/// of the architecture.
std::vector<std::string> probe_architecture(const Toolkit& toolkit, const std::string& entry);

/// Makes the compiler list every architecture it supports, on either stream, for
/// `parse_architectures`.
std::vector<std::string> list_architectures(const Toolkit& toolkit);
/// "8.0" from nvcc's "compute_80", "gfx90a" from clang's table of processors; in the order of the
/// output, without duplicates.
std::vector<std::string> parse_architectures(std::string_view output);

}  // namespace pinwheel::env
