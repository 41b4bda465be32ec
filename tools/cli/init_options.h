#pragma once
#include "cli/options.h"

namespace CLI {
class App;
}

namespace pinwheel::cli {

/// Adds the command `init` and its options.
void add_init(CLI::App& program, InitOptions& options);

}  // namespace pinwheel::cli
