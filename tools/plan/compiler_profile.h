#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "plan/attempt_trace.h"

namespace pinwheel::plan {

/// If this variable of a build is "1", its compilers are profiled. It decides a build, so it is
/// part of the key of its step.
inline constexpr const char* kProfileVariable = "PINWHEEL_PROFILE";

/// The phases of one compilation, the longest ones first, at most `kMostCommandParts`.
struct CompilationProfile {
  std::string output = {};  ///< the object, as the compiler was told
  std::vector<CommandPart> parts = {};
};

/// The compilations in the table that `nvcc -time FILE` appends to: a row for each phase with its
/// source, its output, its architecture and its milliseconds. A row of the driver ends a
/// compilation. Rows of compilers that ran at once may be mixed.
std::vector<CompilationProfile> nvcc_profiles(std::string_view csv);

/// The totals in the JSON that `clang -ftime-trace` writes next to an object; empty for another
/// text.
std::vector<CommandPart> clang_phases(std::string_view json);

}  // namespace pinwheel::plan
