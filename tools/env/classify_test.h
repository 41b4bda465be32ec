#pragma once
#include <string_view>

#include "env/classify.h"

namespace pinwheel::env {

/// Why a command of a test failed. Its exit alone decides the kind; the line is what the output
/// says of it: the exception by which a process that a signal ended had ended itself, pytest's or
/// unittest's first failure, Python's exception, the error of a compiler that the test ran. A
/// signal that nothing explains comes with the last line of the output. Empty if there is no line.
Diagnosis classify_test(const ports::Exit& exit, std::string_view output);

}  // namespace pinwheel::env
