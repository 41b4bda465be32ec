#pragma once
#include "cli/options.h"

namespace CLI {
class App;
}

namespace pinwheel::cli {

/// Adds the command `repair` and its options.
void add_repair(CLI::App& program, RepairOptions& options);

}  // namespace pinwheel::cli
