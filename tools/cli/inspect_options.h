#pragma once
#include "cli/options.h"

namespace CLI {
class App;
}

namespace pinwheel::cli {

/// Adds the command `inspect` and its options.
void add_inspect(CLI::App& program, InspectOptions& options);

/// Adds the command `repair` and its options.
void add_repair(CLI::App& program, RepairOptions& options);

/// Adds the command `compat` and its options.
void add_compat(CLI::App& program, CompatOptions& options);

/// Adds the command `torch-exports` and its subcommands.
void add_torch_exports(CLI::App& app, TorchExportsOptions& options);

/// The subcommand that was given, after parsing.
TorchExportsVerb chosen_verb(const CLI::App& torch_exports);

/// Adds the command `init` and its options.
void add_init(CLI::App& program, InitOptions& options);

}  // namespace pinwheel::cli
