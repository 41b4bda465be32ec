#pragma once
#include <filesystem>

#include "inspect/build_trace.h"

namespace pinwheel::host {

/// How the code of a finished build was made, by its log and by what it left below its scratch
/// directory: objects, and files with the commands of build tools.
inspect::BuildTrace trace_of_build(const std::filesystem::path& scratch,
                                   const std::filesystem::path& log);

}  // namespace pinwheel::host
