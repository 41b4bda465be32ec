#pragma once
#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "inspect/kernel_changes.h"
#include "inspect/wheel_facts.h"

namespace pinwheel::report {

/// How many rows of a table are shown: those for a terminal, or all.
enum class KernelRows { first, all };

/// The kernels of a wheel and what each needs, the largest code first, in a table at most `width`
/// wide; empty without any.
std::string kernel_table(const inspect::WheelFacts& facts, KernelRows rows, size_t width);

/// The schemas of operators in the libraries of a wheel, a line for each; empty without any.
std::string operator_list(const inspect::WheelFacts& facts);

/// {code, registers, stack, spills, shared, constant, barriers, threads}: stack and spills are null
/// if unknown, threads without launch bounds.
nlohmann::json kernel_object(const binary::CubinKernel& kernel);

/// What differs between two kernels, "registers 40 -> 64, spills 0 -> 12".
std::string kernel_change_text(const inspect::ChangedKernel& kernel);

}  // namespace pinwheel::report
