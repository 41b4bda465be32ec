#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "base/fit_text.h"
#include "base/result.h"
#include "base/text.h"
#include "ci/job_rows.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/streams.h"
#include "exports/upstream.h"
#include "host/system/named_output.h"
#include "host/torch/torch_index.h"
#include "plan/image_tests.h"
#include "plan/promotion.h"
#include "plan/shards.h"
#include "prepare/check_abi.h"
#include "prepare/check_build.h"
#include "prepare/check_channels.h"
#include "prepare/check_version.h"
#include "prepare/checkout_state.h"
#include "prepare/earlier_results.h"
#include "prepare/frozen_run.h"
#include "prepare/host.h"
#include "prepare/http_options.h"
#include "prepare/load.h"
#include "prepare/plan_facts.h"
#include "prepare/prepare_run.h"
#include "prepare/prepared_run.h"
#include "prepare/python_use.h"
#include "prepare/read_scope.h"
#include "prepare/run_forecast.h"
#include "prepare/run_scope.h"
#include "prepare/store_places.h"
#include "report/changed_since_report.h"
#include "report/forecast_text.h"
#include "report/plan_json.h"
#include "report/plan_text.h"
#include "report/upstream_report.h"
#include "session/changed_since.h"

namespace pinwheel::cli {
namespace {

using TorchBuilds = std::vector<exports::TorchBuild>;

Result<std::optional<TorchBuilds>> builds_at(const std::string& named, ports::Http& http,
                                             Streams& streams) {
  TRY(host::RemoteAddress index, host::parse_index(named));
  if (index.credentials) streams.mask(index.credentials->password);
  return host::torch_page({http, std::move(index.credentials), index.url}, index.url);
}

/// The builds of every label. If the common index has no page, those of the matrix's labels.
Result<TorchBuilds> builds_of(const prepare::Host& host, const exports::UpstreamIndex& index,
                              ports::Http& http, Streams& streams) {
  const std::string parent = index.parent.empty()
                                 ? prepare::pip_settings(host, streams.log()).index.value_or("pypi")
                                 : index.parent;
  TRY(std::optional<TorchBuilds> all, builds_at(parent, http, streams));
  if (all) return *std::move(all);
  TorchBuilds builds;
  bool found = false;
  for (const std::string& label : index.labels) {
    if (label == parent) continue;
    TRY(const std::optional<TorchBuilds> some, builds_at(label, http, streams));
    if (!some) continue;
    found = true;
    builds.insert(builds.end(), some->begin(), some->end());
  }
  if (found) return builds;
  return fail(ErrorKind::config, fmt::format("{} has no page for torch", quoted(parent)),
              "`environment.torch.index` names the index");
}

std::chrono::year_month this_month(const ports::Clock& clock) {
  const std::chrono::year_month_day today = std::chrono::floor<std::chrono::days>(clock.now());
  return today.year() / today.month();
}

/// `plan --upstream`: releases that the axes lack, and values of the axes without a release.
/// Returns 0 whatever changed: a new label is news, not a failure.
Result<int> show_upstream(const prepare::Host& host, const PlanCommand& options,
                          const prepare::Loaded& loaded, Streams& streams) {
  const std::vector<matrix::Variant>& variants = loaded.expansion.variants;
  TRY(const std::vector<exports::UpstreamIndex> indexes,
      exports::upstream_indexes(loaded.matrix, variants));
  const std::shared_ptr<ports::Http> http =
      host.http(prepare::reading_options(host.variables), streams.log(), {});
  TorchBuilds builds;
  for (const exports::UpstreamIndex& index : indexes) {
    TRY(const TorchBuilds some, builds_of(host, index, *http, streams));
    builds.insert(builds.end(), some.begin(), some.end());
  }
  const exports::Upstream upstream =
      exports::compare_upstream(loaded.matrix, variants, builds, this_month(host.clock));
  if (options.format == PlanFormat::json) {
    streams.json(report::upstream_json(upstream));
  } else {
    streams.lines(report::upstream_text(upstream, streams.data_columns()));
  }
  for (report::Annotation& notice : report::upstream_notices(upstream)) {
    streams.annotate(std::move(notice));
  }
  return 0;
}

/// Writes the frozen plan of `plan --out` to the file `out`, or to stdout; first makes the images
/// and resolves the environments.
Done freeze_plan(const prepare::Host& host, const prepare::RunScope& scope,
                 const prepare::PackageSource& source, const std::string& out, Streams& streams) {
  TRY(const prepare::GatheredRun run, prepare::gather_run(host, scope, source, streams));
  TRY(const plan::FrozenPlan frozen, prepare::freeze(host, run));
  const std::string text = plan::to_json(frozen);
  if (out == kStdout) {
    streams.json(text);
    return {};
  }
  TRY_DONE(host::write_named_output(host.files, out, text));
  streams.note(fmt::format("froze {} into {}\n", plan::summary_line(scope.outline), quoted(out)));
  return {};
}

/// The formats that depend only on the matrix, and never use git.
Result<std::string> text_from_matrix(const PlanCommand& options, const prepare::Loaded& loaded,
                                     const plan::Outline& outline, size_t columns) {
  const bool builds = options.stage == StageRows::build;
  switch (options.format) {
    case PlanFormat::support_table: {
      TRY(const plan::SupportTable table,
          plan::make_support_table(loaded.matrix, loaded.expansion));
      return report::support_table(table, columns);
    }
    case PlanFormat::github:
      if (options.shards > 0) {
        return ci::github_shards(plan::split_into_shards(outline, options.shards));
      }
      return ci::github_rows(outline, loaded.expansion.variants,
                             builds ? ci::Rows::builds : ci::Rows::tests);
    default:
      return builds ? report::build_ids(outline) : report::variant_ids(outline);
  }
}

/// What `plan` shows besides the forecast.
struct ShownPlan {
  std::string text = {};  ///< empty for JSON, which has the forecast as well
  plan::Namings namings = {};
  report::OutlineFacts facts = {};
};

Result<ShownPlan> shown_plan(const PlanCommand& options, const prepare::RunScope& scope,
                             const std::optional<plan::ChangedSince>& since, size_t columns) {
  const prepare::Loaded& loaded = scope.loaded;
  ShownPlan shown;
  if (options.format == PlanFormat::dot) {
    TRY(const plan::Plan plan, prepare::decide_plan(scope, prepare::plan_facts(scope.version, {})));
    shown.text = report::plan_dot(plan);
    return shown;
  }
  report::OutlineFacts& facts = shown.facts;
  facts.since = since;
  const bool promoted = !scope.options.through.empty();
  if (promoted || options.format == PlanFormat::json) {
    TRY(shown.namings, prepare::name_builds(loaded, scope.outline, scope.version));
  } else {
    TRY_DONE(prepare::check_build_names(loaded, scope.outline, scope.version));
  }
  TRY(const plan::PlanOptions tests, prepare::plan_options(plan::Stage::test, {}, options.levels));
  TRY(facts.images, plan::image_tests(loaded.matrix, loaded.expansion, scope.outline, tests));
  if (promoted) {
    TRY(facts.promotion, plan::promotion_path(loaded.matrix, scope.outline, shown.namings,
                                              scope.options.through, scope.options.targets));
  }
  if (options.format == PlanFormat::json) return shown;
  shown.text = report::plan_table(scope.outline, facts.images, columns);
  if (facts.promotion) shown.text += report::promotion_lines(*facts.promotion, columns);
  return shown;
}

/// The forecast of a run here, or its outline if nothing has been run.
Result<prepare::RunForecast> forecast_or_outline(const prepare::Host& host,
                                                 const prepare::RunScope& scope, Streams& streams) {
  TRY(std::optional<prepare::RunForecast> forecast, prepare::forecast_run(host, scope, streams));
  if (forecast) return *std::move(forecast);
  return prepare::outline_run(host, scope);
}

Result<report::TimedForecast> with_duration(const prepare::Host& host,
                                            prepare::RunForecast forecast,
                                            std::optional<int> slots) {
  report::TimedForecast timed;
  TRY(timed.run, prepare::predict_duration(host, forecast, slots));
  timed.steps = std::move(forecast.steps);
  if (slots) timed.unit = report::SlotUnit::slots;
  return timed;
}

/// The forecast of a run, printed below the table.
Result<std::string> forecast_text(const prepare::Host& host, const prepare::RunScope& scope,
                                  std::optional<int> slots, Streams& streams) {
  TRY(prepare::RunForecast forecast, forecast_or_outline(host, scope, streams));
  std::vector<std::optional<std::chrono::seconds>> ages;
  for (const prepare::RecordedResolution& each : forecast.environments) ages.push_back(each.age);
  TRY(const report::TimedForecast timed, with_duration(host, std::move(forecast), slots));
  const size_t columns = streams.data_columns();
  const std::string lines = report::duration_lines(timed) + report::resolutions_line(ages);
  return fmt::format("\n{}\n{}", report::forecast_table(timed.steps, columns),
                     fit_lines(lines, columns));
}

/// The same for JSON.
Result<report::TimedForecast> timed_forecast(const prepare::Host& host,
                                             const prepare::RunScope& scope,
                                             std::optional<int> slots, Streams& streams) {
  TRY(prepare::RunForecast forecast, forecast_or_outline(host, scope, streams));
  return with_duration(host, std::move(forecast), slots);
}

void print(const PlanCommand& options, const std::string& text, Streams& streams) {
  const bool json = options.format == PlanFormat::json || options.format == PlanFormat::github;
  if (json) {
    streams.json(text);
  } else {
    streams.data(text);
  }
}

bool needs_facts(const PlanCommand& options) {
  return !options.out.empty() || !options.changed_since.empty() ||
         options.format == PlanFormat::table || options.format == PlanFormat::json ||
         options.format == PlanFormat::dot;
}

/// Rejects options that mean nothing together.
Done check_combination(const PlanCommand& options) {
  const bool rows = !options.plan_file.empty() && options.format == PlanFormat::github;
  if (options.chunk && !rows) {
    return fail(ErrorKind::usage, "`--chunk` needs `--plan` and `--format github`");
  }
  if (options.stage == StageRows::install && !rows) {
    return fail(ErrorKind::usage, "`--stage install` needs `--plan` and `--format github`",
                "the installations of a release are only in a plan of its channel");
  }
  if (options.stage == StageRows::device && !rows) {
    return fail(ErrorKind::usage, "`--stage device` needs `--plan` and `--format github`",
                "the device code of a split build is a step of a plan");
  }
  if (rows && options.shards > 0) {
    return fail(ErrorKind::usage, "`--plan` and `--shards` exclude each other",
                "the rows of a frozen plan are single steps; `--chunk` has more than 256");
  }
  if (!options.store.places.empty() && options.changed_since.empty()) {
    return fail(ErrorKind::usage, "`--store` needs `--changed-since`",
                "a plan does not depend on the results in a store");
  }
  if (!options.changed_since.empty() && options.format == PlanFormat::support_table) {
    return fail(ErrorKind::usage,
                "`--changed-since` and `--format support-table` exclude each other",
                "the table has all variants");
  }
  if (options.format == PlanFormat::fingerprint && options.plan_file.empty()) {
    return fail(ErrorKind::usage, "`--format fingerprint` needs `--plan`",
                "freeze a plan first: `pinwheel plan --out plan.json`");
  }
  const bool formatted = options.json || options.format != PlanFormat::table;
  if (options.out == kStdout && formatted) {
    return fail(ErrorKind::usage, "`--out -` and another format both print to stdout",
                "write the plan to a file, or leave out one of them");
  }
  if (options.json && options.format != PlanFormat::table && options.format != PlanFormat::json) {
    return fail(ErrorKind::usage, "`--json` and `--format` exclude each other");
  }
  const bool shown = options.format == PlanFormat::table || options.format == PlanFormat::json;
  const bool planned = !options.plan_file.empty() || !options.out.empty() || !shown;
  if (options.upstream && planned) {
    return fail(ErrorKind::usage, "`--upstream` reads the matrix file, and plans nothing",
                "combine it only with `--json`");
  }
  if (options.slots && (!shown || options.upstream || options.out == kStdout)) {
    return fail(ErrorKind::usage, "`--slots` needs the table or JSON of a plan");
  }
  if (!options.plan_file.empty() && !options.out.empty()) {
    return fail(ErrorKind::usage, "`--plan` and `--out` exclude each other",
                "the plan is frozen already");
  }
  return {};
}

/// The scope of this checkout, the matrix and the command line.
Result<prepare::RunScope> fresh_scope(const prepare::Host& host,
                                      const prepare::GlobalOptions& global,
                                      const PlanCommand& options,
                                      const prepare::MatrixChoice& choice, prepare::Loaded loaded,
                                      Streams& streams) {
  prepare::ScopeRequest request{global, choice, options.selection, options.levels,
                                plan::Stage::publish};
  request.images = prepare::TestImageUse::prepare;
  TRY(prepare::RunScope scope, prepare::scope_of(host, request, std::move(loaded), streams.log()));
  const prepare::VersionFacts& version = scope.version;
  prepare::warn_of_missing_files(host, scope.loaded, streams);
  TRY_DONE(prepare::check_project_version(host, scope.loaded, scope.outline, version, streams));
  TRY_DONE(prepare::check_head_tag(host, scope.loaded, version, prepare::publishing_of(version),
                                   streams));
  if (options.selection.channel.empty()) {
    TRY_DONE(prepare::check_channels(scope.loaded, {}, version.version));
  }
  TRY_DONE(prepare::check_project_abi(host, scope.loaded, scope.outline, streams));
  return scope;
}

ci::Rows rows_of_stage(StageRows stage) {
  switch (stage) {
    case StageRows::device:
      return ci::Rows::devices;
    case StageRows::build:
      return ci::Rows::builds;
    case StageRows::test:
      return ci::Rows::tests;
    case StageRows::install:
      break;
  }
  return ci::Rows::installs;
}

/// The rows of a frozen plan's jobs.
Result<std::string> rows_of(const PlanCommand& options, const prepare::RunScope& scope,
                            Streams& streams) {
  TRY(const ci::ChunkChoice chunk, ci::parse_chunk(options.chunk.value_or("1")));
  plan::PlanFacts facts = prepare::plan_facts(scope.version, {});
  facts.durations = prepare::earlier_durations(scope.global.state_dir);
  TRY(const plan::Plan plan, prepare::decide_plan(scope, facts));
  const ci::Rows rows = rows_of_stage(options.stage);
  TRY(const ci::RowChunks jobs, ci::row_chunks(plan, scope.outline, scope.loaded.expansion.variants,
                                               scope.loaded.matrix.ci, rows));
  for (const std::string& step : jobs.unplaced) {
    streams.note(
        fmt::format("{} gets no job: `ci.runners.test` names no runner for it\n", quoted(step)));
  }
  return ci::chunk_of(jobs, chunk);
}

using Since = std::optional<plan::ChangedSince>;

/// The comparison that `--changed-since` asks for.
Result<Since> since_of(const prepare::Host& host, const PlanCommand& options,
                       const prepare::GlobalOptions& global, const prepare::RunScope& scope,
                       Streams& streams) {
  if (options.changed_since.empty()) return std::nullopt;
  TRY(const prepare::RunStore store, prepare::read_run_store(options.store, host));
  TRY(prepare::RunScope tests, prepare::up_to(plan::Stage::test, scope));
  const prepare::UseLocks locks = options.no_lock ? prepare::UseLocks::no : prepare::UseLocks::yes;
  TRY(plan::ChangedSince since,
      session::changed_since(
          host, tests, {global, options.changed_since, options.selection.channel, store, locks},
          streams));
  if (streams.has_step_summary()) streams.step_summary(report::since_markdown(since));
  return since;
}

/// Prints the comparison, unless the format contains it.
void show_since(const PlanCommand& options, const plan::ChangedSince& since, Streams& streams) {
  if (options.format == PlanFormat::json) return;
  if (options.format == PlanFormat::table && options.out != kStdout) {
    streams.data(report::since_text(since, streams.data_columns()));
  } else {
    streams.note(report::since_text(since, streams.note_columns()));
  }
}

/// The formats that have no table; empty for the others.
Result<std::string> text_of_affected(const PlanCommand& options, const prepare::RunScope& scope,
                                     size_t columns) {
  if (options.format != PlanFormat::github && options.format != PlanFormat::ids) {
    return std::string();
  }
  return text_from_matrix(options, scope.loaded, scope.outline, columns);
}

/// What to print and to freeze if no variant is affected.
Result<int> show_nothing_changed(const PlanCommand& options, const prepare::RunScope& scope,
                                 const plan::ChangedSince& since, Streams& streams) {
  if (!options.out.empty()) {
    return fail(
        ErrorKind::nothing_selected,
        fmt::format("nothing changed since {}, so there is no plan to freeze", quoted(since.rev)));
  }
  if (options.format == PlanFormat::json) {
    streams.json(
        report::outline_json(scope.outline, {}, scope.version.version.version, {.since = since}));
    return 0;
  }
  TRY(const std::string text, text_of_affected(options, scope, streams.data_columns()));
  if (!text.empty()) print(options, text, streams);
  return 0;
}

/// Prints the table, its JSON or the graph, and the forecast of a run here.
Result<int> show_scope(const prepare::Host& host, const PlanCommand& options,
                       const prepare::RunScope& scope, const Since& since, Streams& streams) {
  if (since) show_since(options, *since, streams);
  if (since && scope.outline.variants.empty()) {
    return show_nothing_changed(options, scope, *since, streams);
  }
  TRY_DONE(prepare::check_builds(host, scope, streams));
  prepare::warn_of_missing_pythons(host, scope, streams);
  streams.note(prepare::recut_line(scope.version.version));
  if (scope.version.publishes_nowhere) streams.note(prepare::nowhere_line(scope.version.channel));
  // Comes before freezing, so that colliding names stop it.
  TRY(ShownPlan shown, shown_plan(options, scope, since, streams.data_columns()));
  if (!options.out.empty()) {
    const prepare::UseLocks locks =
        options.no_lock ? prepare::UseLocks::no : prepare::UseLocks::yes;
    TRY_DONE(freeze_plan(host, scope, prepare::locks_or_indexes(locks), options.out, streams));
    if (options.out == kStdout) return 0;
  }
  if (options.format == PlanFormat::json) {
    TRY(shown.facts.forecast, timed_forecast(host, scope, options.slots, streams));
    shown.text = report::outline_json(scope.outline, shown.namings, scope.version.version.version,
                                      shown.facts);
  }
  if (since) {
    TRY(const std::string affected, text_of_affected(options, scope, streams.data_columns()));
    if (!affected.empty()) shown.text = affected;
  }
  print(options, shown.text, streams);
  if (options.format == PlanFormat::table) {
    TRY(const std::string would, forecast_text(host, scope, options.slots, streams));
    streams.data(would);
  }
  return 0;
}

}  // namespace

Result<int> cmd_plan(const prepare::Host& host, const prepare::GlobalOptions& all,
                     const PlanCommand& given, Streams& streams) {
  TRY_DONE(check_combination(given));
  PlanCommand options = given;
  if (options.json) options.format = PlanFormat::json;
  prepare::GlobalOptions global = all;
  global.named_files = {options.plan_file, options.out};
  if (!options.changed_since.empty()) {
    TRY(const prepare::RunStore store, prepare::read_run_store(options.store, host));
    for (std::string& path : prepare::directories_of(store.places)) {
      global.named_files.push_back(std::move(path));
    }
  }
  TRY(const std::optional<prepare::PlanFile> frozen,
      prepare::read_frozen_plan(host.files, options.plan_file));
  if (frozen && options.format == PlanFormat::fingerprint) {
    TRY(const std::string fingerprint, plan::fingerprint(frozen->plan));
    streams.data(fingerprint + "\n");
    return 0;
  }
  TRY(const prepare::MatrixChoice choice,
      prepare::choose_matrix_of(host, options.selection.arguments, frozen));
  if (frozen) {
    prepare::ScopeRequest request{global, choice, options.selection, options.levels,
                                  plan::Stage::publish};
    request.images = prepare::TestImageUse::prepare;
    request.frozen = &frozen->plan;
    TRY(const prepare::RunScope scope, prepare::read_scope(host, request, streams));
    if (needs_facts(options)) return show_scope(host, options, scope, std::nullopt, streams);
    TRY(const std::string text,
        options.format == PlanFormat::github
            ? rows_of(options, scope, streams)
            : text_from_matrix(options, scope.loaded, scope.outline, streams.data_columns()));
    print(options, text, streams);
    return 0;
  }
  const prepare::Warnings warnings =
      options.selection.strict ? prepare::Warnings::refuse : prepare::Warnings::print;
  TRY(prepare::Loaded loaded, prepare::load_matrix(host.files, choice.path, streams, warnings));
  if (options.upstream) return show_upstream(host, options, loaded, streams);
  if (!needs_facts(options)) {
    TRY(const plan::Outline outline,
        prepare::select_outline(loaded, options.selection, choice.globs,
                                options.selection.channel));
    TRY_DONE(prepare::check_channels(loaded, options.selection.channel, {prepare::kAnyVersion}));
    TRY(const std::string text, text_from_matrix(options, loaded, outline, streams.data_columns()));
    print(options, text, streams);
    return 0;
  }
  TRY(prepare::RunScope scope,
      fresh_scope(host, global, options, choice, std::move(loaded), streams));
  TRY(const Since since, since_of(host, options, global, scope, streams));
  if (since) scope.outline = plan::affected_part(scope.outline, *since);
  return show_scope(host, options, scope, since, streams);
}

}  // namespace pinwheel::cli
