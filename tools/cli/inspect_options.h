#pragma once
#include "cli/options.h"

namespace CLI {
class App;
}

namespace pinwheel::cli {

/// Adds the command `inspect` and its options.
void add_inspect(CLI::App& program, InspectOptions& options);

}  // namespace pinwheel::cli
