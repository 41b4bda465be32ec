#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "env/toolkit.h"

namespace pinwheel::env {

/// Asks a toolkit's compiler, which compiles nothing, whether it has one entry of an arch list
/// ("9.0a", "12.0+PTX", "gfx90a"); it exits 0 when it has. For hipcc the device library of the
/// architecture must be there too.
std::vector<std::string> probe_architecture(const Toolkit& toolkit, const std::string& entry);

/// Makes the compiler print all that it has, on either stream, for `parse_architectures`.
std::vector<std::string> list_architectures(const Toolkit& toolkit);
/// "8.0" of nvcc's "compute_80", "gfx90a" of clang's table of processors; in order, each once.
std::vector<std::string> parse_architectures(std::string_view output);

}  // namespace pinwheel::env
