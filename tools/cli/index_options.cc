#include "cli/index_options.h"

#include <CLI/CLI.hpp>

#include "cli/shared_options.h"

namespace pinwheel::cli {
namespace {

void add_directory(CLI::App& app, std::string& index) {
  app.add_option("index", index, "the directory of the index, or s3://BUCKET/PREFIX")
      ->type_name("INDEX")
      ->required();
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

/// The options of `check` that say what is read.
void add_check_scope(CLI::App& app, IndexCheckOptions& options) {
  app.add_option("index", options.index, "a directory, a URL or `pypi`")->type_name("INDEX");
  app.add_option("projects", options.projects, "projects (default: those on the root page)")
      ->type_name("PROJECT");
  app.add_option("--sub-index", options.labels,
                 "check this sub-index, too, although no page lists it, `cu130`")
      ->type_name("LABEL")
      ->allow_extra_args(false);
  app.add_flag("--no-hashes", options.no_hashes, "do not read whole files to hash them");
  app.add_flag("--refresh", options.refresh, "hash files again that an earlier check verified");
  app.add_option("--connections", options.connections,
                 "pages and files to read at the same time, at most 64 (default: 8)")
      ->check(positive_integer());
}

void add_check(CLI::App& index, IndexCheckOptions& options) {
  CLI::App& app = *index.add_subcommand(
      "check",
      "audit any simple index: hashes, upload times, names, metadata, links, and what pip and uv "
      "install; exit 5 if it has errors");
  add_check_scope(app, options);
  app.add_option("--machine", options.machines,
                 "show what is installed there, `cp311-manylinux_2_28_x86_64`; several with commas")
      ->type_name("MACHINE")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--exclude-newer", options.exclude_newer,
                 "with `--machine`: a cooldown, `7d`, or a time, `2026-01-02T03:04:05Z`")
      ->type_name("TIME");
  app.add_option("--ignore", options.ignore, "skip this rule; may be repeated")
      ->type_name("RULE")
      ->allow_extra_args(false);
  app.add_flag("--strict", options.strict, "fail on warnings too");
  app.add_flag("--rules", options.rules, "list the rules");
  app.add_flag("--json", options.json, "as JSON");
}

void add_prune(CLI::App& index, IndexPruneOptions& options) {
  CLI::App& app = *index.add_subcommand(
      "prune", "list the old versions that may be removed from an index, or remove them");
  add_directory(app, options.index);
  app.add_option("project", options.project, "only this project")->type_name("[PROJECT]");
  app.add_option("--keep", options.keep, "keep versions with a file that is newer than this")
      ->type_name("TIME");
  app.add_option(
         "--keep-last", options.keep_last,
         "keep this many of the newest versions of each project; yanked versions come after "
         "all others")
      ->check(positive_integer())
      ->type_name("N");
  app.add_flag("--releases", options.releases,
               "also remove versions that are not development releases; they are counted apart");
  app.add_option("--lock", options.locks,
                 "keep the versions that this `uv.lock`, `pylock.toml` or requirements file names; "
                 "may be repeated")
      ->type_name("FILE")
      ->allow_extra_args(false);
  app.add_flag("--execute", options.execute, "remove them");
  app.add_flag("--json", options.json, "as JSON");
}

}  // namespace

void add_index(CLI::App& program, IndexCommands& index) {
  CLI::App& app = *program.add_subcommand("index", "manage a package index");
  app.require_subcommand(1);
  add_check(app, index.check);
  add_yank(app, index.yank);
  add_prune(app, index.prune);
}

IndexCommand chosen_index_command(const CLI::App& index) {
  if (index.got_subcommand("check")) return IndexCommand::check;
  if (index.got_subcommand("prune")) return IndexCommand::prune;
  return IndexCommand::yank;
}

}  // namespace pinwheel::cli
