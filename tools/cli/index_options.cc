#include "cli/index_options.h"

#include <CLI/CLI.hpp>

namespace pinwheel::cli {
namespace {

void add_directory(CLI::App& app, std::string& index) {
  app.add_option("index", index, "the directory of the index")->type_name("INDEX")->required();
}

void add_yank(CLI::App& index, IndexYankOptions& options) {
  CLI::App& app = *index.add_subcommand(
      "yank", "mark a version so that installers choose it only if it is asked for by `==`");
  add_directory(app, options.index);
  app.add_option("version", options.version,
                 "the version; without a local version, all of its local versions")
      ->type_name("PROJECT==VERSION")
      ->required();
  CLI::Option* const reason =
      app.add_option("--reason", options.reason, "why; installers print it")->type_name("TEXT");
  app.add_flag("--undo", options.undo, "remove the mark")->excludes(reason);
  app.add_flag("--json", options.json, "as JSON");
}

}  // namespace

void add_index(CLI::App& program, IndexCommands& index) {
  CLI::App& app = *program.add_subcommand("index", "manage a package index");
  app.require_subcommand(1);
  add_yank(app, index.yank);
}

IndexCommand chosen_index_command(const CLI::App& /*index*/) {
  return IndexCommand::yank;
}

}  // namespace pinwheel::cli
