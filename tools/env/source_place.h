#pragma once
#include <optional>
#include <string_view>

#include "base/error.h"

namespace pinwheel::env {

/// The place that a line of a compiler or a build system names, as it names it: "a.cc:12:5: error:"
/// (gcc, clang, rustc), "a.cu(12): error:" (nvcc), "CMake Error at CMakeLists.txt:3 (message):",
/// "ld: a.cc:12: undefined reference". Nullopt without a line number.
std::optional<Location> source_place(std::string_view line);

}  // namespace pinwheel::env
