#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace pinwheel::env {

/// The lines of a tool's output, trimmed, without the escape sequences of colors.
std::vector<std::string> plain_lines(std::string_view output);

/// The first line by which a compiler, an assembler or a linker stopped: gcc, clang, nvcc, ptxas,
/// nvlink, rustc, Cython, ld, gold, lld. Lines that only repeat that a command failed ("ld returned
/// 1 exit status", "ninja: build stopped") do not count. Empty without one.
std::string tool_error(const std::vector<std::string>& lines);

/// The message of a process that ended itself: the exception of `terminate`, a failed assertion, an
/// error found by the C library, a library that could not be loaded. Empty without one.
std::string abort_reason(const std::vector<std::string>& lines);

/// The exception that ended a Python program; the first of a chain of causes. Exceptions that only
/// report that a command failed do not count. Empty without one.
std::string python_exception(const std::vector<std::string>& lines);

/// The line that explains why a build failed: the error of a tool, else of CMake or meson, else the
/// message of a process that ended itself, else Python's exception, else a line that begins with
/// "error", else a line that reports that a command failed. Empty without any of these.
std::string first_error(const std::vector<std::string>& lines);

}  // namespace pinwheel::env
