#pragma once
#include "cli/options.h"

namespace CLI {
class App;
}

namespace pinwheel::cli {

/// Adds the command `compat` and its options.
void add_compat(CLI::App& program, CompatOptions& options);

}  // namespace pinwheel::cli
