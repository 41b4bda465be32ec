#include "cli/torch_exports_options.h"

#include <CLI/CLI.hpp>

namespace pinwheel::cli {
namespace {

void add_table(CLI::App& app, TorchExportsOptions& options) {
  app.add_option("--table", options.table, "this file instead of the shipped table and yours")
      ->type_name("FILE");
  app.add_flag("--json", options.json, "as JSON");
}

void add_index(CLI::App& app, TorchExportsOptions& options) {
  app.add_option("--index", options.index, "`pypi`, or the URL of a simple index (default: pip's)")
      ->type_name("URL");
  app.add_option("--arch", options.arch, "`x86_64` or `aarch64` (default: both)");
}

void add_sources(CLI::App& app, TorchExportsOptions& options) {
  app.add_option("sources", options.sources,
                 "torch wheels, directories with an installed torch, tables")
      ->type_name("FILE|DIR");
  add_index(app, options);
  app.add_option("--torch", options.torch, "a version on the index, `2.13.0`")
      ->type_name("VERSION");
  app.add_option("--python", options.pythons,
                 "the interpreter of an installed torch; with `--torch`, versions of Python, "
                 "`3.11` (default: all)")
      ->type_name("PATH|VERSION");
  add_table(app, options);
}

}  // namespace

void add_torch_exports(CLI::App& app, TorchExportsOptions& options) {
  CLI::App& tables = *app.add_subcommand(
      "torch-exports",
      "manage the table of the symbols that each torch release exports, which `compat` reads");
  tables.require_subcommand(1);
  CLI::App& list = *tables.add_subcommand("list", "the builds in the table");
  add_table(list, options);
  CLI::App& add = *tables.add_subcommand(
      "add", "read a build into your table; only small parts of a remote wheel are downloaded");
  add_sources(add, options);
  CLI::App& update = *tables.add_subcommand(
      "update", "add the releases on the index that are missing from the table");
  add_index(update, options);
  add_table(update, options);
  CLI::App& verify = *tables.add_subcommand(
      "verify", "read a build again and compare; exit 5 if it differs from the table");
  add_sources(verify, options);
}

TorchExportsVerb chosen_verb(const CLI::App& torch_exports) {
  if (torch_exports.got_subcommand("add")) return TorchExportsVerb::add;
  if (torch_exports.got_subcommand("update")) return TorchExportsVerb::update;
  if (torch_exports.got_subcommand("verify")) return TorchExportsVerb::verify;
  return TorchExportsVerb::list;
}

}  // namespace pinwheel::cli
