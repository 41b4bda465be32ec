#include "cli/shared_options.h"

#include <optional>

#include "base/parse_integer.h"
#include "pep/wheel_name.h"

namespace pinwheel::cli {
namespace {

/// The choices of an option that accepts one of `values` by name.
template <class Values>
auto named_choices(const Values& values) {
  std::map<std::string, typename Values::value_type> choices;
  for (const auto value : values) choices.emplace(to_string(value), value);
  return choices;
}

}  // namespace

CLI::Validator positive_integer() {
  const auto check = [](const std::string& text) {
    const std::optional<uint64_t> number = parse_unsigned(text);
    return number && *number > 0 ? std::string()
                                 : fmt::format("{} is not a positive integer", quoted(text));
  };
  return {check, "POSITIVE"};
}

void add_globals(CLI::App& app, prepare::GlobalOptions& global) {
  const OptionGroup group(app, "Output");
  add_choice<prepare::ColorMode>(app, "--color", global.color,
                                 {{"auto", prepare::ColorMode::automatic},
                                  {"always", prepare::ColorMode::always},
                                  {"never", prepare::ColorMode::never}},
                                 "color on stderr (also NO_COLOR, FORCE_COLOR)")
      ->envname("PINWHEEL_COLOR");
  add_choice<prepare::LogFormat>(
      app, "--log-format", global.log_format,
      {{"pretty", prepare::LogFormat::pretty},
       {"plain", prepare::LogFormat::plain},
       {"json", prepare::LogFormat::json}},
      "status of a run: live, one line per event, or JSON lines; the log is plain or JSON")
      ->envname("PINWHEEL_LOG_FORMAT");
  app.add_flag_callback(
      "-q,--quiet", [&global] { global.verbosity = prepare::Verbosity::quiet; }, "errors only");
  app.add_flag_function(
      "-v,--verbose",
      [&global](int64_t count) {
        global.verbosity = count > 1 ? prepare::Verbosity::debug : prepare::Verbosity::verbose;
      },
      "show the options in effect and the important part of the log; `-vv`: the whole log");
  app.add_option("--log-file", global.log_file, "append the whole log to this file as well")
      ->type_name("FILE")
      ->envname("PINWHEEL_LOG_FILE");
  app.add_option("--state-dir", global.state_dir, "journal, logs and resolutions")
      ->envname("PINWHEEL_STATE_DIR")
      ->capture_default_str();
  app.add_option("-o,--output-dir", global.output_dir, "directory of finished wheels")
      ->envname("PINWHEEL_OUTPUT_DIR")
      ->capture_default_str();
}

void add_selection(CLI::App& app, prepare::SelectionOptions& selection) {
  const OptionGroup group(app, "Select");
  app.add_option("arguments", selection.arguments, "a matrix file (.yaml) and globs on variant ids")
      ->type_name("[MATRIX.yaml] [GLOB]");
  app.add_option("-s,--select", selection.selectors,
                 "an axis and its values: `python=3.12,3.13`, `compute=!cuda/*`")
      ->type_name("AXIS=VALUE")
      ->allow_extra_args(false);
  app.add_option("--skip", selection.skip, "skip matching ids; overrides every selection")
      ->type_name("GLOB")
      ->allow_extra_args(false);
  app.add_option("--only", selection.only, "only this id")
      ->type_name("ID")
      ->allow_extra_args(false);
  app.add_option("--status", selection.status,
                 "select variants with these statuses (default: supported,experimental)")
      ->allow_extra_args(false);
  app.add_option("--channel", selection.channel,
                 "a channel of the matrix (default: by the tag on HEAD, else `ci`)")
      ->envname("PINWHEEL_CHANNEL");
  app.add_option("--shard", selection.shard,
                 "only this part of the work, to split it between machines: `2/4`")
      ->type_name("I/N")
      ->envname("PINWHEEL_SHARD");
  app.add_flag("--allow-empty", selection.allow_empty, "allow an empty selection");
  app.add_flag("--strict", selection.strict, "treat warnings about the matrix as errors");
}

void add_levels(CLI::App& app, prepare::LevelOptions& levels) {
  const OptionGroup group(app, "Where");
  add_choice<container::Engine>(app, "--engine", levels.engine, named_choices(container::kEngines),
                                "run on this machine, `host`, or in containers (default: host)")
      ->envname("PINWHEEL_ENGINE");
  add_choice<env::PythonSource>(app, "--python", levels.python, named_choices(env::kPythonSources),
                                "`venv`: an installed Python; `conda`: a Python from conda "
                                "(default: conda in containers, else venv)")
      ->envname("PINWHEEL_PYTHON");
  app.add_option("--base-image", levels.base_images,
                 "the base image to use instead of the matrix's, for all or by compute and arch; "
                 "or instead of the image of that name, also in `test.images`")
      ->type_name("[[COMPUTE][@ARCH]=|NAME=]IMAGE")
      ->envname("PINWHEEL_BASE_IMAGE")
      ->allow_extra_args(false);
  app.add_option("--network", levels.network, "the container network, e.g. `host`")
      ->type_name("NAME")
      ->envname("PINWHEEL_NETWORK");
}

CLI::Option* add_build_number(CLI::App& app, uint64_t& build, const std::string& help) {
  return app
      .add_option_function<std::string>(
          "--build-number",
          [&build](const std::string& text) {
            const std::optional<uint64_t> number = pep::parse_build_number(text);
            if (!number) {
              throw CLI::ValidationError(fmt::format(
                  "`--build-number` cannot be {}; expected a whole number, 1 or higher, "
                  "of at most 15 digits",
                  quoted(text)));
            }
            build = *number;
          },
          help)
      ->type_name("N");
}

void add_transfer(CLI::App& app, prepare::TransferOptions& transfer) {
  app.add_option("--min-speed", transfer.min_speed,
                 "abort a transfer that is slower than this for five minutes, in bytes a second; "
                 "`0`: never (default: 1 KB)")
      ->type_name("SIZE")
      ->envname("PINWHEEL_MIN_SPEED");
  app.add_option("--transfer-time", transfer.transfer_time,
                 "abort a transfer that takes longer, plus a minute for each 10 MB; `0s`: never "
                 "(default: 15 min)")
      ->type_name("TIME")
      ->envname("PINWHEEL_TRANSFER_TIME");
}

void add_uploads(CLI::App& app, prepare::TransferOptions& transfer) {
  app.add_option("--uploads", transfer.uploads,
                 "files of a project that are sent to an index at the same time; `1`: one after "
                 "another (default: 4, and 2 to PyPI and TestPyPI)")
      ->type_name("N")
      ->envname("PINWHEEL_UPLOADS");
}

void add_run_build_number(CLI::App& app, prepare::SelectionOptions& selection) {
  add_build_number(app, selection.build_number,
                   "the build number of the wheels, for a re-cut of a version that is published "
                   "already (default: by the tag on HEAD, if `package.version.recut` is set)")
      ->group("Select");
}

void add_places(CLI::App& app, prepare::StoreOptions& store, const std::string& description) {
  app.add_option(
         "--store", store.places,
         description +
             ": `local`, `dir:PATH`, `https://HOST/PREFIX`, `s3://BUCKET/PREFIX`; `,ro`: only read "
             "them; may be repeated, nearest first (also PINWHEEL_STORE, separated by spaces)")
      ->type_name("PLACE[,ro]")
      ->allow_extra_args(false);
}

void add_store(CLI::App& app, prepare::StoreOptions& store, const std::string& description) {
  const OptionGroup group(app, "Where");
  add_places(app, store, description);
  app.add_option("--store-domain", store.domain,
                 "the domain of this run's results, which limits the results it may reuse: "
                 "`release`, `branch` or `pull-request` (also PINWHEEL_STORE_DOMAIN; default: by "
                 "the event in CI, else `branch`)")
      ->type_name("DOMAIN");
}

void add_run(CLI::App& app, prepare::RunOptions& run) {
  add_selection(app, run.selection);
  app.add_option("--step", run.steps, "only this step and its dependencies: `build:cu130`")
      ->type_name("STEP")
      ->allow_extra_args(false)
      ->group("Select");
  add_run_build_number(app, run.selection);
  add_levels(app, run.levels);
  add_store(app, run.store, "read and write results of finished steps there");
  const OptionGroup group(app, "How");
  app.add_option("--executor", run.executor,
                 "`local`: run the steps on this machine; `slurm`: run them as jobs of a Slurm "
                 "cluster (default: `executor.use` of the configuration files, else `local`)")
      ->type_name("NAME")
      ->envname("PINWHEEL_EXECUTOR");
  app.add_flag("--keep-failed", run.levels.keep_failed,
               "keep the containers of failed commands for inspection");
  app.add_option("--plan", run.plan_file, "run exactly what `plan --out` wrote to this file")
      ->type_name("FILE");
  app.add_flag("--reuse-only", run.reuse_only,
               "run only the named steps, the tests of `test` and the publications of `release`; "
               "every other step must have a result, here or in a store");
  app.add_option("-j,--jobs", run.jobs, "cores to use (default: all)")->envname("PINWHEEL_JOBS");
  app.add_option("--memory", run.memory, "memory to use, `16 GiB` (default: all free memory)")
      ->envname("PINWHEEL_MEMORY");
  app.add_option("--logs-dir", run.logs_dir,
                 "directory for the logs of this run's steps (default: in the state directory)")
      ->type_name("DIR");
  app.add_option("--time-limit", run.time_limit,
                 "the time that this run may take, such as `350 min`: pinwheel stops a build with "
                 "`build.checkpoint` before the limit, and the next run continues the build "
                 "(default: no limit)")
      ->type_name("TIME")
      ->envname("PINWHEEL_TIME_LIMIT");
  app.add_option("--checkpoints", run.checkpoints,
                 "save checkpoints of builds in this directory (default: in the store, or without "
                 "a store in the state directory)")
      ->type_name("DIR")
      ->envname("PINWHEEL_CHECKPOINTS");
  app.add_flag("--unfinished-ok", run.unfinished_ok,
               "exit with code 0 instead of 8 if nothing failed but a build is unfinished");
  app.add_flag("-k,--keep-going", run.keep_going,
               "after a failure, continue with independent steps");
  app.add_flag("--dry-run", run.dry_run, "print the commands as a bash script and run nothing");
  app.add_flag("--refresh", run.refresh,
               "resolve the packages again, instead of using those of the last run");
  app.add_flag("--no-lock", run.no_lock, "ignore the packages pinned by `env lock`");
  app.add_flag("--json", run.json, "print the report as JSON on stdout")->group("Output");
}

void add_changed_since(CLI::App& app, std::string& revision, const std::string& help) {
  CLI::Option* const option =
      app.add_option("--changed-since", revision, help)->type_name("REV")->group("Select");
  for (const char* const other : {"--plan", "--step", "--reuse-only", "--upstream"}) {
    if (CLI::Option* const excluded = app.get_option_no_throw(other)) option->excludes(excluded);
  }
}

void add_profile(CLI::App& app, prepare::RunOptions& run) {
  const OptionGroup group(app, "How");
  app.add_flag("--profile", run.levels.profile,
               "measure the phases of nvcc and clang in each compilation, without compiler caches; "
               "the results have keys of their own")
      ->excludes("--plan");
}

}  // namespace pinwheel::cli
