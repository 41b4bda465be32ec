#pragma once
#include "cli/options.h"

namespace CLI {
class App;
}

namespace pinwheel::cli {

/// The options of the commands below `index`.
struct IndexCommands {
  IndexCheckOptions check;
  IndexYankOptions yank;
  IndexPruneOptions prune;
};

/// `index` and its commands.
void add_index(CLI::App& program, IndexCommands& index);

enum class IndexCommand { check, yank, prune };

/// The command that was given, after parsing.
IndexCommand chosen_index_command(const CLI::App& index);

}  // namespace pinwheel::cli
