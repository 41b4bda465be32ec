#pragma once
#include "cli/options.h"

namespace CLI {
class App;
}

namespace pinwheel::cli {

/// The options of the commands below `ci`.
struct CiCommands {
  CiGenerateOptions generate;
  CiCheckOptions check;
  CiExplainOptions explain;
};

/// `ci` and its commands.
void add_ci(CLI::App& program, CiCommands& ci);

}  // namespace pinwheel::cli
