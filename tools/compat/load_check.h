#pragma once
#include <string>
#include <vector>

namespace pinwheel::compat {

/// The argv that imports the modules, then asks torch for the operators where there is no GPU: each
/// must be registered, and each with a kernel for CUDA must, called with tensors of a CUDA device,
/// raise an exception that says that there is none. It prints what it saw and exits 1 naming the
/// operators that do otherwise.
std::vector<std::string> load_check(const std::string& python,
                                    const std::vector<std::string>& modules,
                                    const std::vector<std::string>& operators);

}  // namespace pinwheel::compat
