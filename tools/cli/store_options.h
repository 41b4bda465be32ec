#pragma once
#include "cli/options.h"

namespace CLI {
class App;
}

namespace pinwheel::cli {

/// Adds the command `store` and its subcommands.
void add_store_command(CLI::App& app, StoreCommandOptions& options);

/// The subcommand that was given, after parsing.
StoreVerb chosen_store_verb(const CLI::App& store);

}  // namespace pinwheel::cli
