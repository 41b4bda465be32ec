#pragma once
#include "cli/options.h"
#include "cli/parser.h"

namespace CLI {
class App;
}

namespace pinwheel::cli {

/// The command `torch-exports` with its own commands.
void add_torch_exports(CLI::App& app, TorchExportsOptions& options);

/// Which of them was given, once `app` has parsed.
TorchExportsVerb chosen_verb(const CLI::App& torch_exports);

}  // namespace pinwheel::cli
