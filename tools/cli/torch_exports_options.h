#pragma once
#include "cli/options.h"

namespace CLI {
class App;
}

namespace pinwheel::cli {

/// Adds the command `torch-exports` and its subcommands.
void add_torch_exports(CLI::App& app, TorchExportsOptions& options);

/// The subcommand that was given, after parsing.
TorchExportsVerb chosen_verb(const CLI::App& torch_exports);

}  // namespace pinwheel::cli
