#pragma once
#include <string_view>

#include "env/classify.h"

namespace pinwheel::env {

/// What a failed build meant, from the output of the compilers (gcc, clang, nvcc, hipcc), the
/// linker, ninja, cmake or a Python build backend: a compiler that the kernel killed is
/// `out_of_memory`, a missing tool or an unsupported host compiler `environment`. A compile error
/// is `step`. A program that is not there or cannot be executed, of `build.command` or of a script
/// of its, is `environment` and named.
Diagnosis classify_compiler(const ports::Exit& exit, std::string_view output);

}  // namespace pinwheel::env
