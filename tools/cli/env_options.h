#pragma once
#include "cli/options.h"

namespace CLI {
class App;
}

namespace pinwheel::cli {

/// The options of the commands below `env`.
struct EnvCommands {
  EnvOptions list;
  EnvOptions remove;
  EnvOptions gc;
  EnvLockOptions lock;
  EnvShellOptions shell;
  EnvExportOptions exporting;
};

/// `env` and its commands.
void add_env(CLI::App& program, EnvCommands& env);

}  // namespace pinwheel::cli
