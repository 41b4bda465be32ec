#include "cli/store_options.h"

#include <CLI/CLI.hpp>

#include "cli/shared_options.h"

namespace pinwheel::cli {
namespace {

void add_place(CLI::App& app, StoreCommandOptions& options) {
  app.add_option("--store", options.place, "`local` (the default) or `dir:PATH`")
      ->type_name("PLACE");
  app.add_flag("--json", options.json, "as JSON");
}

void add_gc(CLI::App& store, StoreCommandOptions& options) {
  CLI::App& app = *store.add_subcommand(
      "gc",
      "remove results that no running job and none of the last releases used; safe during a run");
  add_place(app, options);
  app.add_option("--releases", options.releases, "keep results of this many of the last releases")
      ->check(CLI::NonNegativeNumber)
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--size", options.size,
                 "keep other results up to this size, most recently used first")
      ->type_name("SIZE")
      ->capture_default_str();
  app.add_option("--grace", options.grace, "keep results that were used within this time")
      ->type_name("TIME")
      ->capture_default_str();
  app.add_flag("--dry-run", options.dry_run,
               "list the entries that would be removed, and remove nothing");
}

void add_domain(CLI::App& app, StoreCommandOptions& options, const char* description) {
  app.add_option("--store-domain", options.domain,
                 std::string(description) +
                     ": `release`, `branch` or `pull-request` (default: by the event in CI, else "
                     "`branch`)")
      ->type_name("DOMAIN");
}

void add_why(CLI::App& store, StoreCommandOptions& options) {
  CLI::App& app = *store.add_subcommand("why",
                                        "explain why a run would not reuse a step from a store: "
                                        "the differences in its key, and from which run");
  app.add_option("arguments", options.arguments, "a step, and the matrix file")
      ->type_name("STEP [MATRIX.yaml]")
      ->required();
  add_place(app, options);
  add_domain(app, options, "ask as a run of this domain");
  app.add_option("--plan", options.plan_file, "ask for the plan that `plan --out` wrote")
      ->type_name("FILE");
  app.add_option("--channel", options.channel, "a channel of the matrix")
      ->envname("PINWHEEL_CHANNEL");
  add_levels(app, options.levels);
}

}  // namespace

void add_store_command(CLI::App& program, StoreCommandOptions& options) {
  CLI::App& app =
      *program.add_subcommand("store", "manage the results of finished steps on this machine");
  app.require_subcommand(1);
  CLI::App& stat =
      *app.add_subcommand("stat", "count the results of a store by domain, and its size");
  add_place(stat, options);
  add_gc(app, options);
  CLI::App& verify = *app.add_subcommand(
      "verify", "read everything and compare it with its names; exit 5 if something is damaged");
  add_place(verify, options);
  add_why(app, options);
  CLI::App& exporting = *app.add_subcommand(
      "export", "copy the results that a frozen plan needs, and no others, into a directory");
  add_place(exporting, options);
  exporting.add_option("--plan", options.plan_file, "the plan that `plan --out` wrote")
      ->type_name("FILE")
      ->required();
  add_domain(exporting, options, "export for runs of this domain");
  exporting.add_option("directory", options.directory, "`--store dir:DIR` reads it")
      ->type_name("DIR")
      ->required();
  CLI::App& importing =
      *app.add_subcommand("import", "copy results here from a directory that `export` wrote");
  add_place(importing, options);
  add_domain(importing, options, "the most trusted results to accept");
  importing.add_option("directory", options.directory, "a directory with results")
      ->type_name("DIR")
      ->required();
}

StoreVerb chosen_store_verb(const CLI::App& store) {
  if (store.got_subcommand("gc")) return StoreVerb::gc;
  if (store.got_subcommand("verify")) return StoreVerb::verify;
  if (store.got_subcommand("why")) return StoreVerb::why;
  if (store.got_subcommand("export")) return StoreVerb::export_results;
  if (store.got_subcommand("import")) return StoreVerb::import_results;
  return StoreVerb::stat;
}

}  // namespace pinwheel::cli
