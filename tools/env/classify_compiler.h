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
/// is `environment` and the message names the program. The line is the first
/// that says why (`env/first_error`). A place in a source is that of the line that is shown.
Diagnosis classify_compiler(const ports::Exit& exit, std::string_view output);

/// The diagnosis of a build that had no network: a download that failed will fail again, and the
/// hint says how to allow it.
Diagnosis without_network(Diagnosis diagnosis);

/// The place that a line of a compiler or a build system names, as it names it: "a.cc:12:5: error:"
/// (gcc, clang, rustc), "a.cu(12): error:" (nvcc), "CMake Error at CMakeLists.txt:3 (message):",
/// "ld: a.cc:12: undefined reference". Nullopt without a line number.
std::optional<Location> source_place(std::string_view line);

}  // namespace pinwheel::env
