#pragma once
#include <optional>
#include <string_view>

#include "base/error.h"
#include "env/classify.h"

namespace pinwheel::env {

/// Why a build failed, from the output of the compilers (gcc, clang, nvcc, hipcc), the linker,
/// ninja, cmake or a Python build backend: a compiler that the kernel killed is `out_of_memory`, a
/// missing tool, a missing library of the system or an unsupported host compiler `environment`; a
/// build that could not fetch sources or crates `transient`. A compile error is `step`. If
/// `build.command` or one of its scripts runs a program that is missing or not executable, the kind
/// is `environment` and the message names the program. The line is the first that explains the
/// failure (`env/first_error`). A location in a source is that of this line.
Diagnosis classify_compiler(const ports::Exit& exit, std::string_view output);

/// The diagnosis of a build without a network: a failed download will fail again, and the hint
/// explains how to allow it.
Diagnosis without_network(Diagnosis diagnosis);

/// The source location in a line of a compiler or a build system, as written there: "a.cc:12:5:
/// error:" (gcc, clang, rustc), "a.cu(12): error:" (nvcc), "CMake Error at CMakeLists.txt:3
/// (message):", "ld: a.cc:12: undefined reference". Nullopt without a line number.
std::optional<Location> source_place(std::string_view line);

}  // namespace pinwheel::env
