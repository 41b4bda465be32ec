#pragma once
#include "cli/options.h"

namespace CLI {
class App;
}

namespace pinwheel::cli {

/// The command `inspect` and its options.
void add_inspect(CLI::App& program, InspectOptions& options);

}  // namespace pinwheel::cli
