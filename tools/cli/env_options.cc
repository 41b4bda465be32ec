#include "cli/env_options.h"

#include "cli/shared_options.h"

namespace pinwheel::cli {
namespace {

void add_env_shell(CLI::App& app, EnvShellOptions& options) {
  CLI::App& shell = *app.add_subcommand(
      "shell", "open a shell, or run COMMAND, in the environment of a variant's build");
  shell.add_option("arguments", options.arguments, "an id, and the matrix file")
      ->type_name("ID [MATRIX.yaml] [-- COMMAND...]")
      ->required();
  add_levels(shell, options.levels);
  shell.add_flag("--test", options.test,
                 "the environment of its test, with the wheel if one was built");
  shell.add_flag("--no-lock", options.no_lock, "ignore the packages pinned by `env lock`");
}

void add_env_export(CLI::App& app, EnvExportOptions& options) {
  CLI::App& exporting = *app.add_subcommand(
      "export",
      "write a Dockerfile, exact lists and a script that create the environment without pinwheel");
  exporting.add_option("arguments", options.arguments, "an id, and the matrix file")
      ->type_name("ID [MATRIX.yaml]")
      ->required();
  exporting.add_option("--out", options.out, "the directory to write")
      ->type_name("DIR")
      ->required();
  add_levels(exporting, options.levels);
  exporting.add_flag("--no-lock", options.no_lock, "ignore the packages pinned by `env lock`");
}

void add_env_gc(CLI::App& app, EnvOptions& options) {
  CLI::App& gc = *app.add_subcommand(
      "gc", "remove environments, toolkits and sources that were not used for some time");
  gc.add_option("--older", options.older, "remove entries that were not used for this time")
      ->type_name("TIME")
      ->capture_default_str();
  gc.add_flag("--dry-run", options.dry_run,
              "list the entries that would be removed, and remove nothing");
  gc.add_flag("--json", options.json, "as JSON");
  options.verb = EnvVerb::gc;
}

}  // namespace

void add_env(CLI::App& program, EnvCommands& env) {
  CLI::App& app = *program.add_subcommand("env", "manage the environments of builds and tests");
  app.require_subcommand(1);
  CLI::App& list = *app.add_subcommand(
      "list", "list the environments in the cache: id, Python, torch, size, last use and user");
  list.add_flag("--json", env.list.json, "as JSON");
  list.add_option("--against", env.list.against,
                  "compare with the environments of another cache, file by file; exit 5 when one "
                  "differs")
      ->type_name("CACHE");
  CLI::App& remove = *app.add_subcommand("rm", "remove environments");
  remove.add_option("ids", env.remove.ids, "ids from `env list`")->type_name("ID");
  remove.add_flag("--all", env.remove.all, "remove every environment");
  env.remove.verb = EnvVerb::remove;
  add_env_gc(app, env.gc);
  CLI::App& lock = *app.add_subcommand(
      "lock", "pin every environment of the matrix in files next to it, which builds use");
  add_selection(lock, env.lock.selection);
  add_levels(lock, env.lock.levels);
  lock.add_flag("--check", env.lock.check,
                "write nothing; exit 7 when a lock is missing, out of date or damaged");
  lock.add_flag("--refresh", env.lock.refresh,
                "resolve locked packages again; with `--check`, show what would change");
  lock.add_option("--upgrade-package", env.lock.upgraded,
                  "upgrade this package, `NAME` or `NAME==VERSION`, in every lock that has it, and "
                  "keep the versions of the others; may be repeated")
      ->type_name("PACKAGE")
      ->excludes("--check")
      ->excludes("--refresh");
  lock.add_flag("--json", env.lock.json, "as JSON");
  add_env_shell(app, env.shell);
  add_env_export(app, env.exporting);
}

}  // namespace pinwheel::cli
