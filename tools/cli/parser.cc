#include "cli/parser.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "base/fit_text.h"
#include "base/text.h"
#include "cli/ci_options.h"
#include "cli/completion.h"
#include "cli/effective_values.h"
#include "cli/env_options.h"
#include "cli/index_options.h"
#include "cli/inspect_options.h"
#include "cli/shared_options.h"
#include "cli/store_options.h"
#include "cli/usage_error.h"
#include "prepare/host.h"

namespace pinwheel::cli {
namespace {

/// The column of the descriptions in the help, and the width of its lines.
constexpr size_t kNames = 34;
constexpr size_t kNarrowNames = 24;
constexpr size_t kUsualColumns = 80;
constexpr size_t kWidestHelp = 100;

/// The parser and the structs that it fills, which must outlive parsing.
struct Parser {
  CLI::App app{"Build, check, test and publish the wheels of a multi-variant GPU Python package.",
               "pinwheel"};
  prepare::GlobalOptions global;
  PlanCommand plan;
  ExplainOptions explain;
  prepare::RunOptions build;
  prepare::RunOptions test;
  prepare::RunOptions release;
  prepare::RunOptions status;
  VersionOptions version;
  InitOptions init;
  PublishOptions publish;
  EnvCommands env;
  CiCommands ci;
  IndexCommands index;
  InspectOptions inspect;
  TorchExportsOptions torch_exports;
  StoreCommandOptions store;
  CompatOptions compat;
  FinishOptions finish;
  RepairOptions repair;
  ReproduceOptions reproduce;
  LogsOptions logs;
  ReportOptions report;
  DoctorOptions doctor;
  DocsOptions docs;
  CompleteOptions complete;
  CompletionOptions completion;
};

constexpr const char* kChangedSteps =
    "run only the steps whose keys differ from the keys of this commit's results, and the steps "
    "that they need";

void add_plan(Parser& parser) {
  CLI::App& app = *parser.app.add_subcommand(
      "plan", "show the steps that would run, be reused or be skipped, and why");
  add_selection(app, parser.plan.selection);
  add_run_build_number(app, parser.plan.selection);
  add_levels(app, parser.plan.levels);
  const OptionGroup group(app, "Output");
  add_choice<PlanFormat>(app, "--format", parser.plan.format,
                         {{"table", PlanFormat::table},
                          {"ids", PlanFormat::ids},
                          {"json", PlanFormat::json},
                          {"github", PlanFormat::github},
                          {"support-table", PlanFormat::support_table},
                          {"dot", PlanFormat::dot},
                          {"fingerprint", PlanFormat::fingerprint}},
                         "how to print it (default: table)");
  add_choice<StageRows>(
      app, "--stage", parser.plan.stage,
      {{"device", StageRows::device},
       {"build", StageRows::build},
       {"test", StageRows::test},
       {"install", StageRows::install}},
      "rows of `ids` and `github`: one per build, or one per variant (default: test); with "
      "`--plan`, also one per install test, or per architecture of each split build");
  app.add_option("--shards", parser.plan.shards, "with `--format github`: one row per shard")
      ->check(positive_integer());
  app.add_option("--slots", parser.plan.slots,
                 "predict the duration with N steps at a time, such as jobs on N runners (default: "
                 "this machine)")
      ->type_name("N")
      ->check(positive_integer());
  app.add_option("--plan", parser.plan.plan_file,
                 "show the plan that `--out` wrote to this file; with `--format github`, its jobs")
      ->type_name("FILE");
  app.add_option("--chunk", parser.plan.chunk,
                 "with `--plan` and `--format github`: the chunk of 256 rows, from 1 (default: 1); "
                 "`I/N`: at most N chunks, empty beyond the last row")
      ->type_name("I[/N]");
  app.add_option("--out", parser.plan.out,
                 "freeze the plan (version, date, exact packages, file names) in this file for "
                 "`--plan`; `-`: on stdout, without the table")
      ->type_name("FILE");
  app.add_flag("--no-lock", parser.plan.no_lock,
               "with `--out`: ignore the packages pinned by `env lock`");
  app.add_flag("--upstream", parser.plan.upstream,
               "instead of the plan: releases, labels and Pythons of torch that appeared or "
               "vanished, and the lines to change");
  app.add_flag("--json", parser.plan.json, "the same as `--format json`");
  add_changed_since(app, parser.plan.changed_since,
                    "limit the plan to the variants with a step whose key differs from the key of "
                    "this commit's result, and print the reasons");
  add_store(app, parser.plan.store, "with `--changed-since`: also look up results there");
}

void add_explain(Parser& parser) {
  CLI::App& app = *parser.app.add_subcommand("explain",
                                             "explain a variant or a step: the rule that includes "
                                             "it, its build, environment and wheel names");
  app.add_option("arguments", parser.explain.arguments, "an id, and the matrix file")
      ->type_name("ID [MATRIX.yaml]")
      ->required();
  add_levels(app, parser.explain.levels);
  app.add_option("--channel", parser.explain.channel, "a channel of the matrix")
      ->envname("PINWHEEL_CHANNEL");
}

void add_runs(Parser& parser) {
  CLI::App& build = *parser.app.add_subcommand(
      "build", "prepare environments, check, build and finish; wheels go to --output-dir");
  add_run(build, parser.build);
  add_changed_since(build, parser.build.changed_since, kChangedSteps);
  add_profile(build, parser.build);
  CLI::App& test = *parser.app.add_subcommand(
      "test", "build missing wheels, install each in a clean environment, run its tests");
  add_run(test, parser.test);
  add_changed_since(test, parser.test.changed_since, kChangedSteps);
  add_profile(test, parser.test);
  const OptionGroup tested(test, "How");
  test.add_flag("--gate", parser.test.gate,
                "fail with exit 5 if a test has less evidence than the channel's targets require");
  CLI::App& release =
      *parser.app.add_subcommand("release", "build, test and publish in one resumable run");
  add_run(release, parser.release);
  const OptionGroup group(release, "How");
  release
      .add_option("--target", parser.release.targets,
                  "publish to this target of the matrix (default: the channel's)")
      ->allow_extra_args(false);
  release.add_flag("--gate", parser.release.gate,
                   "publish nothing: check that all results exist, with the evidence that every "
                   "target requires");
  release
      .add_option("--accept", parser.release.accept,
                  "publish even if this variant's test has less evidence than required")
      ->type_name("ID=REASON")
      ->allow_extra_args(false);
  release.add_option("--token-file", parser.release.token_file, "a file with the upload token");
  release.add_flag("--insecure", parser.release.insecure,
                   "send a token without encryption, to a URL that starts with http://");
  add_transfer(release, parser.release.transfer);
  add_uploads(release, parser.release.transfer);
}

void add_status(Parser& parser) {
  CLI::App& app = *parser.app.add_subcommand(
      "status",
      "compare a release with its plan, results, targets and tag, file by file; exit 5 if it is "
      "incomplete");
  add_selection(app, parser.status.selection);
  app.get_option("arguments")->type_name("[VERSION] [MATRIX.yaml] [GLOB]");
  add_run_build_number(app, parser.status.selection);
  add_levels(app, parser.status.levels);
  add_store(app, parser.status.store, "look for results of finished steps there");
  const OptionGroup group(app, "How");
  app.add_option("--plan", parser.status.plan_file, "the plan that `plan --out` wrote")
      ->type_name("FILE");
  app.add_option("--target", parser.status.targets,
                 "only this target of the matrix (default: the channel's)")
      ->allow_extra_args(false);
  add_transfer(app, parser.status.transfer);
  app.add_flag("--json", parser.status.json, "as JSON")->group("Output");
}

void add_version(Parser& parser) {
  CLI::App& app = *parser.app.add_subcommand(
      "version", "print the version of this commit in a channel, and why");
  app.add_option("matrix", parser.version.matrix, "use the rules of this matrix file")
      ->type_name("MATRIX.yaml");
  app.add_option("--channel", parser.version.channel, "ci, nightly, test or release")
      ->envname("PINWHEEL_CHANNEL");
  app.add_option("--label", parser.version.label, "local version label, `cu130`");
  app.add_option("--match", parser.version.match, "glob of release tags")->capture_default_str();
  app.add_option("--bump", parser.version.bump,
                 "the part that the next version increments: major, minor, patch")
      ->capture_default_str();
  app.add_flag("--explain", parser.version.explain, "explain why, on stderr");
  app.add_flag("--json", parser.version.json, "version, channel, commit and reasons as JSON");
}

void add_promotion(CLI::App& app, PublishOptions& publish) {
  app.add_option("--from", publish.from,
                 "publish the same files from `pypi`, `testpypi`, the URL of a simple index, a "
                 "directory, or `store`")
      ->type_name("SOURCE");
  app.add_option("--record", publish.record,
                 "the record of the release, which selects the files of `--from`")
      ->type_name("FILE");
  add_places(app, publish.store, "with `--from store`, the places of results");
}

void add_publish(Parser& parser) {
  CLI::App& app = *parser.app.add_subcommand(
      "publish", "check all files, then upload them to PyPI, TestPyPI or another index");
  app.add_option("files", parser.publish.files,
                 "wheels and sdists; with `--from`, `PROJECT==VERSION`")
      ->type_name("FILE")
      ->required();
  app.add_option("--target,--to", parser.publish.target,
                 "`pypi` or `testpypi` (default with `--from`: `pypi`)")
      ->envname("PINWHEEL_TARGET");
  app.add_option("--repository-url", parser.publish.repository_url, "upload URL of another index");
  app.add_option("--check-url", parser.publish.check_url,
                 "simple index to look files up in (default: derived from the upload URL)");
  add_promotion(app, parser.publish);
  CLI::Option* const token =
      app.add_option("--token-file", parser.publish.token_file, "a file with the upload token");
  app.add_option("--trusted-publishing", parser.publish.trusted_publishing,
                 "a token issued for the CI job: `always`, `never`, or `auto` (with `--target`, if "
                 "no other "
                 "is given)")
      ->type_name("WHEN")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->capture_default_str();
  app.add_option("--attestations", parser.publish.attestations,
                 "sign the files with the identity of the CI job: `always`, `never`, or `auto` (on "
                 "PyPI and TestPyPI, if their token is issued for the job)")
      ->type_name("WHEN")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->capture_default_str();
  app.add_option("--sigstore", parser.publish.sigstore,
                 "the client trust configuration of your own Sigstore (default: the public one)")
      ->type_name("FILE");
  app.add_flag("--no-auth", parser.publish.no_auth,
               "send no credentials, for an index that needs none")
      ->excludes(token);
  app.add_flag("--insecure", parser.publish.insecure,
               "send the token without encryption, to a URL that starts with http://");
  app.add_flag("--no-confirm", parser.publish.no_confirm,
               "do not look up the files afterwards, for an index without pages");
  add_transfer(app, parser.publish.transfer);
  add_uploads(app, parser.publish.transfer);
  app.add_option("--size-limit", parser.publish.size_limit,
                 "largest file that the index accepts (default: 100 MiB on PyPI and TestPyPI)");
  app.add_option("--ignore", parser.publish.ignore,
                 "send wheels that break this rule of `inspect --check`; may be repeated")
      ->type_name("RULE")
      ->allow_extra_args(false);
  app.add_flag("--dry-run", parser.publish.dry_run,
               "check everything, print the files and their order, send nothing");
  app.add_flag("--json", parser.publish.json, "outcome of each file as JSON");
}

void add_finish(Parser& parser) {
  CLI::App& app = *parser.app.add_subcommand(
      "finish", "rewrite a wheel or sdist reproducibly, with its final name and platform tag");
  FinishOptions& finish = parser.finish;
  app.add_option("files", finish.files, "wheels and sdists (.tar.gz)")
      ->type_name("FILE")
      ->required();
  app.add_option("--distribution", finish.distribution,
                 "the new name, with `{name}` and `{label}` for the old name and the local version "
                 "(default: unchanged)");
  CLI::Option* const version = app.add_option("--wheel-version", finish.wheel_version,
                                              "the new version (default: unchanged)");
  add_build_number(app, finish.build_number,
                   "the build number in the file name and in WHEEL (default: unchanged)");
  app.add_flag("--strip-local", finish.strip_local,
               "remove the local version, which PyPI does not accept: `+cu130`")
      ->excludes(version);
  app.add_option("--variant", finish.variant,
                 "make the wheel variant with this label, `cu130`, with the properties of its "
                 "binaries; `null` for the variant without properties; `{label}` for the local "
                 "version (draft)");
  app.add_option("--variant-draft", finish.variant_draft, "the draft of wheel variants to follow")
      ->check(CLI::IsMember({"pep850", "pep825"}));
  app.add_option("--requires", finish.requirement, "a requirement to set, `torch>=2.10`");
  app.add_option("--pin", finish.pins,
                 "the exact requirement on a project, `my-core==1.2.0`, or "
                 "`my-core=my-core-cu130==1.2.0` if it has another name; may be repeated")
      ->type_name("[PROJECT=]NAME==VERSION")
      ->allow_extra_args(false);
  app.add_option("--external", finish.external,
                 "a library that others provide, `libfoo.so.*`; may be repeated")
      ->type_name("GLOB")
      ->allow_extra_args(false);
  app.add_option("--record", finish.record,
                 "a JSON file to store as `pinwheel.json` in its metadata");
  app.add_option("--epoch", finish.epoch, "the timestamp of every member, in seconds since 1970")
      ->envname("SOURCE_DATE_EPOCH");
  app.add_flag("--json", finish.json, "the files and what was changed, as JSON");
}

void add_reproduce(Parser& parser) {
  CLI::App& app =
      *parser.app.add_subcommand("reproduce", "repeat a failed step of a run on this machine");
  app.add_option("arguments", parser.reproduce.arguments,
                 "a variant or a step; or a failed run's report or summary, a file or an address")
      ->type_name("ID|REPORT [STEP] [MATRIX.yaml]")
      ->required();
  add_levels(app, parser.reproduce.levels);
  add_store(app, parser.reproduce.store,
            "read results of the step's dependencies from there; nothing is written");
  app.add_flag("--shell", parser.reproduce.shell, "a shell instead of the step's command");
  app.add_flag("--here", parser.reproduce.here,
               "use the source of this checkout instead of the run's commit: is it fixed?");
  app.add_flag("--keep-failed", parser.reproduce.levels.keep_failed,
               "keep the containers of failed commands for inspection");
}

void add_report(Parser& parser) {
  CLI::App& app = *parser.app.add_subcommand(
      "report", "show where the time of a run went, or compare two runs");
  app.add_flag("--all", parser.report.all, "a row for each attempt of each step");
  app.add_option(
         "runs", parser.report.runs,
         "a run of the state directory, `20260102T030405-4711`, or the reports and journals "
         "of several jobs of a plan (default: the last run); two are compared, the earlier first")
      ->type_name("[RUN|FILE]");
  app.add_option("--trace", parser.report.trace,
                 "write the trace there as Chrome JSON, for ui.perfetto.dev; `-` is stdout")
      ->type_name("FILE");
  app.add_option("--html", parser.report.html,
                 "write one page there that needs no network: matrix, timeline, failures, wheels, "
                 "earlier runs")
      ->type_name("FILE");
  app.add_flag("--merge", parser.report.merge,
               "show two reports together, as jobs of one run, instead of comparing them");
  app.add_flag(
      "--partial", parser.report.partial,
      "with two runs: ignore the steps that only the first run has, because the second run was "
      "meant to run only some of the steps");
  app.add_option("--markdown", parser.report.markdown,
                 "with two runs, also write the comparison there as Markdown")
      ->type_name("FILE");
  app.add_option("--base-wheels", parser.report.base_wheels,
                 "with two runs, a directory with the wheels of the first (default: where its "
                 "report says)")
      ->type_name("DIR");
  app.add_option("--wheels", parser.report.wheels, "the same for the second run")->type_name("DIR");
  app.add_option("--base-name", parser.report.base_name,
                 "with two runs, what the first is called in the comparison")
      ->type_name("NAME");
  app.add_option("--comment", parser.report.comment,
                 "with two runs, write the comparison to the comment of that name of the pull "
                 "request of this job, or update it")
      ->type_name("NAME");
  app.add_option("--history", parser.report.history,
                 "with two runs, the file of `--update-history` that says which durations are "
                 "usual (default: the journal of the runs)")
      ->type_name("FILE");
  app.add_option("--update-history", parser.report.update_history,
                 "add the durations of the run's steps to this file, which has those of the last "
                 "ten runs, and show nothing")
      ->type_name("FILE");
  app.add_flag("--json", parser.report.json, "as JSON");
}

void add_small_commands(Parser& parser) {
  CLI::App& logs = *parser.app.add_subcommand("logs", "print the log of a step's last attempt");
  logs.add_option("id", parser.logs.id, "step id, `build:cpu`")->type_name("ID")->required();
  CLI::Option* const attempt = logs.add_option("--attempt", parser.logs.attempt,
                                               "number of the attempt (default: the last)");
  logs.add_flag("-f,--follow", parser.logs.follow,
                "print new output until the step ends; during a run, wait for the step to start")
      ->excludes(attempt);
  add_report(parser);
  CLI::App& doctor = *parser.app.add_subcommand(
      "doctor", "show what this machine can build and test, and how to fix the rest");
  doctor.add_option("matrix", parser.doctor.matrix, "a matrix file, whose Pythons are checked")
      ->type_name("[MATRIX]");
  CLI::Option* const executor =
      doctor
          .add_option("--executor", parser.doctor.executor,
                      "check the cluster of this executor instead of this machine: `slurm`")
          ->check(CLI::IsMember({"local", "slurm"}))
          ->type_name("NAME");
  CLI::Option* const test_job = doctor.add_flag(
      "--test-job", parser.doctor.test_job,
      "with `--executor slurm`: also submit a job of a few seconds that checks whether a node has "
      "the shared directory and pinwheel");
  CLI::Option* const cache = doctor.add_flag(
      "--cache", parser.doctor.cache,
      "check the compiler caches of the matrix instead of this machine: whether they return stale "
      "objects");
  cache->excludes(executor)->excludes(test_job);
  add_choice<std::string>(doctor, "--with", parser.doctor.program,
                          {{"ccache", "ccache"}, {"sccache", "sccache"}},
                          "with `--cache`: check this program instead of those of the matrix")
      ->needs(cache);
  doctor.add_flag("--json", parser.doctor.json, "as JSON");
  CLI::App& complete = *parser.app.add_subcommand("complete", "what may follow a command line");
  complete.add_option("line", parser.complete.line, "the line up to the cursor")->required();
  complete.group("");
  parser.app.add_subcommand("schema", "print the JSON Schema of matrix files, for editors");
  CLI::App& docs = *parser.app.add_subcommand(
      "docs", "explain a key of the matrix file, with an example, or print a page of the manual");
  docs.add_option("subject", parser.docs.subject,
                  "a key, `build.arch-list`, or a name that `docs` lists")
      ->type_name("[KEY|PAGE]");
  CLI::App& completion = *parser.app.add_subcommand(
      "completion", "print a completion script for a shell, or the manual page");
  completion.add_option("shell", parser.completion.shell, "bash, zsh, fish or man")
      ->type_name("SHELL")
      ->required();
}

/// Adds all commands, in the order of the help.
void add_commands(Parser& parser) {
  add_init(parser.app, parser.init);
  add_plan(parser);
  add_explain(parser);
  add_runs(parser);
  add_status(parser);
  add_inspect(parser.app, parser.inspect);
  add_torch_exports(parser.app, parser.torch_exports);
  add_compat(parser.app, parser.compat);
  add_finish(parser);
  add_repair(parser.app, parser.repair);
  add_version(parser);
  add_publish(parser);
  add_index(parser.app, parser.index);
  add_env(parser.app, parser.env);
  add_store_command(parser.app, parser.store);
  add_ci(parser.app, parser.ci);
  add_reproduce(parser);
  add_small_commands(parser);
}

void set_footer(CLI::App& command) {
  command.footer("`pinwheel --help` lists the options of every command.");
  for (CLI::App* const below : command.get_subcommands({})) set_footer(*below);
}

void set_up(Parser& parser) {
  CLI::App& app = parser.app;
  app.set_version_flag("--version", std::string("pinwheel ") + prepare::kPinwheelVersion);
  app.require_subcommand(1);
  app.fallthrough();
  app.get_formatter()->column_width(kNames);
  app.footer("`pinwheel docs` explains the matrix file, `pinwheel COMMAND --help` a command.");
  add_globals(app, parser.global);
  add_commands(parser);
  for (CLI::App* const command : app.get_subcommands({})) {
    command->fallthrough();
    set_footer(*command);
  }
}

CommandOptions chosen(Parser& parser) {
  const CLI::App& app = parser.app;
  if (app.got_subcommand("init")) return parser.init;
  if (app.got_subcommand("plan")) return parser.plan;
  if (app.got_subcommand("explain")) return parser.explain;
  if (app.got_subcommand("build")) return BuildCommand{parser.build};
  if (app.got_subcommand("test")) return TestCommand{parser.test};
  if (app.got_subcommand("release")) return ReleaseCommand{parser.release};
  if (app.got_subcommand("status")) return StatusCommand{parser.status};
  if (app.got_subcommand("inspect")) return parser.inspect;
  if (app.got_subcommand("torch-exports")) {
    parser.torch_exports.verb = chosen_verb(*app.get_subcommand("torch-exports"));
    return parser.torch_exports;
  }
  if (app.got_subcommand("store")) {
    parser.store.verb = chosen_store_verb(*app.get_subcommand("store"));
    return parser.store;
  }
  if (app.got_subcommand("compat")) return parser.compat;
  if (app.got_subcommand("finish")) return parser.finish;
  if (app.got_subcommand("repair")) return parser.repair;
  if (app.got_subcommand("version")) return parser.version;
  if (app.got_subcommand("publish")) return parser.publish;
  if (app.got_subcommand("index")) {
    switch (chosen_index_command(*app.get_subcommand("index"))) {
      case IndexCommand::check:
        return parser.index.check;
      case IndexCommand::yank:
        return parser.index.yank;
      case IndexCommand::prune:
        return parser.index.prune;
    }
  }
  if (app.got_subcommand("reproduce")) return parser.reproduce;
  if (app.got_subcommand("logs")) return parser.logs;
  if (app.got_subcommand("report")) return parser.report;
  if (app.got_subcommand("doctor")) return parser.doctor;
  if (app.got_subcommand("complete")) return parser.complete;
  if (app.got_subcommand("schema")) return SchemaOptions{};
  if (app.got_subcommand("docs")) return parser.docs;
  if (app.got_subcommand("completion")) return parser.completion;
  if (app.got_subcommand("ci")) {
    const CLI::App& workflows = *app.get_subcommand("ci");
    if (workflows.got_subcommand("check")) return parser.ci.check;
    if (workflows.got_subcommand("explain")) return parser.ci.explain;
    return parser.ci.generate;
  }
  const CLI::App& environments = *app.get_subcommand("env");
  if (environments.got_subcommand("lock")) return parser.env.lock;
  if (environments.got_subcommand("shell")) return parser.env.shell;
  if (environments.got_subcommand("export")) return parser.env.exporting;
  if (environments.got_subcommand("gc")) return parser.env.gc;
  return environments.got_subcommand("rm") ? parser.env.remove : parser.env.list;
}

/// The help of a command, with lines no wider than the terminal. Lines of more than a hundred
/// columns are hard to read.
std::string help_text(CLI::App& app, size_t columns) {
  const size_t width = columns == 0 ? kUsualColumns : std::min(columns, kWidestHelp);
  app.get_formatter()->column_width(width < kUsualColumns ? kNarrowNames : kNames);
  return fit_lines(replace_all(app.help(), "\n\n\n", "\n\n"), width);
}

Result<ParsedCommandLine> parse(const std::vector<std::string>& arguments, size_t columns) {
  Parser parser;
  set_up(parser);
  parser.global.arguments = arguments;
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  try {
    parser.app.parse(std::move(reversed));
  } catch (const CLI::CallForHelp&) {
    return ParsedCommandLine{parser.global, PrintText{help_text(parser.app, columns)}, {}};
  } catch (const CLI::CallForVersion& version) {
    return ParsedCommandLine{parser.global, PrintText{std::string(version.what()) + "\n"}, {}};
  } catch (const CLI::ParseError& error) {
    return fail(usage_error(parser.app, error, arguments));
  }
  TRY_DONE(refuse_empty_values(parser.app));
  return ParsedCommandLine{parser.global, chosen(parser),
                           effective_values(parser.app, deepest_command(parser.app), arguments)};
}

}  // namespace

Result<ParsedCommandLine> parse_command_line(const std::vector<std::string>& arguments,
                                             size_t columns) {
  const auto dashes = std::find(arguments.begin(), arguments.end(), "--");
  if (dashes != arguments.end()) {
    // The arguments after `--` are a command line for `env shell`, and positional arguments for
    // other commands.
    Result<ParsedCommandLine> before = parse({arguments.begin(), dashes}, columns);
    if (auto* const shell = before ? std::get_if<EnvShellOptions>(&before->command) : nullptr) {
      shell->command = {dashes + 1, arguments.end()};
      return before;
    }
  }
  return parse(arguments, columns);
}

CompletionRequest completion_request(const std::string& line) {
  Parser parser;
  set_up(parser);
  return request_of(parser.app, line);
}

Result<std::string> completion_script(const std::string& shell) {
  Parser parser;
  set_up(parser);
  return make_completion(parser.app, shell);
}

}  // namespace pinwheel::cli
