#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace pinwheel::env {

/// The lines of a tool's output, trimmed, without the escape sequences of colors.
std::vector<std::string> plain_lines(std::string_view output);

/// The first line by which a compiler, an assembler or a linker stopped: gcc, clang, nvcc, ptxas,
/// nvlink, rustc, Cython, ld, gold, lld. Lines that only repeat that a command failed ("ld returned
/// 1 exit status", "ninja: build stopped") are no reason. Empty if there is none.
std::string tool_error(const std::vector<std::string>& lines);

/// What a process said when it ended itself: the exception of `terminate`, a failed assertion, what
/// the C library found, a library that could not be loaded. Empty if there is none.
std::string abort_reason(const std::vector<std::string>& lines);

/// The exception by which a Python program ended; of a chain of causes the first. Exceptions that
/// only say that a command failed are no reason. Empty if there is none.
std::string python_exception(const std::vector<std::string>& lines);

/// Why a build failed: the error of a tool, else of CMake or meson, else what the process said when
/// it ended itself, else Python's exception, else a line that begins with "error", else one that
/// says that a command failed. Empty if no line is known to.
std::string first_error(const std::vector<std::string>& lines);

}  // namespace pinwheel::env
