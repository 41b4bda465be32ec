#include "cli/reproduce_target.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/text.h"
#include "base/url.h"
#include "host/net/fetch_text.h"
#include "host/net/http.h"
#include "host/run/journal_file.h"
#include "plan/step_id.h"
#include "prepare/host.h"
#include "prepare/http_options.h"
#include "prepare/load.h"
#include "prepare/read_scope.h"
#include "report/report_json.h"
#include "session/run_plan.h"

namespace pinwheel::cli {
namespace {

namespace fs = std::filesystem;

bool is_file(ports::Files& files, const std::string& text) {
  return files.type_behind(text) == ports::FileType::regular;
}

/// The classified positional arguments; ids are in `id`.
struct Named {
  std::string report;
  std::string id;
  std::vector<std::string> matrix;
};

Result<Named> sort_out(ports::Files& files, const std::vector<std::string>& arguments) {
  Named named;
  for (const std::string& argument : arguments) {
    if (prepare::is_matrix_name(argument)) {
      named.matrix.push_back(argument);
      continue;
    }
    const bool report = is_address(argument) || is_file(files, argument);
    std::string& place = report ? named.report : named.id;
    if (!place.empty()) {
      return fail(ErrorKind::usage,
                  fmt::format("`reproduce` takes one {}, not {} and {}", report ? "report" : "id",
                              quoted(place), quoted(argument)));
    }
    place = argument;
  }
  const bool path = named.id.find('/') != std::string::npos || named.id.ends_with(".json") ||
                    named.id.ends_with(".md");
  if (path) {
    return fail(ErrorKind::usage, fmt::format("there is no report {}", quoted(named.id)),
                "pass a file, a URL, or an id of the matrix");
  }
  return named;
}

Result<ReproduceTarget> from_report(const prepare::Host& host, const std::string& place,
                                    const std::string& id, Streams& streams) {
  std::string text;
  if (is_address(place)) {
    const std::shared_ptr<ports::Http> http =
        host.http(prepare::http_options(host.variables), streams.log(), {});
    TRY(text, host::fetch_text(*http, place));
  } else {
    TRY(text, host.files.read(place, limits::kReport));
  }
  TRY(report::RunReport run, report::find_report(text, place));
  ReproduceTarget target;
  TRY(target.step, report::failed_step(run.report, id));
  if (!plan::parse_step_id(target.step)) {
    return fail(ErrorKind::config,
                fmt::format("{} is a step of the report in {}, but it is not a valid step id",
                            quoted(target.step), quoted(place)),
                "`pinwheel` did not write this report: download it again from the run");
  }
  if (!run.origin) {
    return fail(ErrorKind::config,
                fmt::format("{} has no record of its run's commit and packages", quoted(place)),
                fmt::format("run the step from its commit: {}",
                            quoted(fmt::format("pinwheel reproduce {}", target.step))));
  }
  target.origin = std::move(run.origin);
  return target;
}

/// The step with the latest recorded failure.
const journal::Finished* last_failure(const journal::History& history,
                                      const std::vector<std::string>& steps) {
  const journal::Finished* last = nullptr;
  for (const std::string& step : steps) {
    const auto found = history.latest.find(step);
    if (found == history.latest.end()) continue;
    if (found->second.outcome.state != plan::StepState::failed) continue;
    if (last == nullptr || found->second.at > last->at) last = &found->second;
  }
  return last;
}

/// The origin of a failed run in this state directory, if its run recorded it.
std::optional<plan::RunOrigin> origin_of_failure(ports::Files& files,
                                                 const plan::StepOutcome& outcome) {
  if (outcome.log.empty()) return std::nullopt;
  const fs::path path = fs::path(outcome.log).parent_path() / session::kReportName;
  const Result<std::string> text = files.read(path);
  if (!text) return std::nullopt;
  Result<report::RunReport> run = report::find_report(*text, path.string());
  return run ? std::move(run->origin) : std::nullopt;
}

/// The steps of a variant, or the step itself; the build first.
Result<std::vector<std::string>> steps_of(ports::Files& files, const std::string& id,
                                          const std::string& matrix, Streams& streams) {
  if (id == plan::sdist_id() || plan::kind_of_step(id) == plan::StepKind::environment)
    return std::vector{id};
  TRY(const prepare::Loaded loaded,
      prepare::load_matrix(files, matrix, streams, prepare::Warnings::tell));
  TRY(const plan::Outline outline, prepare::outline_of(loaded, id));
  if (plan::parse_step_id(id)) return std::vector{id};
  return std::vector{plan::build_id(outline.builds.at(0).cls.id), plan::test_id(id)};
}

Result<ReproduceTarget> from_journal(const prepare::Host& host,
                                     const prepare::GlobalOptions& global, const Named& named,
                                     Streams& streams) {
  TRY(const journal::History history, host::read_whole_journal(global.state_dir));
  ReproduceTarget target;
  // The record of a step's failure has its matrix.
  const journal::Finished* failure = last_failure(history, {named.id});
  if (failure == nullptr) {
    TRY(const prepare::MatrixChoice choice, prepare::choose_matrix(host, named.matrix));
    target.matrix = choice.path;
    TRY(const std::vector<std::string> steps, steps_of(host.files, named.id, choice.path, streams));
    failure = last_failure(history, steps);
    target.step = steps.front();
  }
  if (failure != nullptr) {
    target.step = failure->outcome.id;
    target.origin = origin_of_failure(host.files, failure->outcome);
    if (target.origin) return target;
  }
  if (target.matrix.empty()) {
    TRY(const prepare::MatrixChoice choice, prepare::choose_matrix(host, named.matrix));
    target.matrix = choice.path;
  }
  streams.note(fmt::format("no failed run of {} is recorded here: running {} from this checkout\n",
                           quoted(named.id), quoted(target.step)));
  return target;
}

}  // namespace

Result<ReproduceTarget> find_target(const prepare::Host& host, const prepare::GlobalOptions& global,
                                    const std::vector<std::string>& arguments, Streams& streams) {
  TRY(const Named named, sort_out(host.files, arguments));
  if (named.report.empty() && named.id.empty()) {
    return fail(
        ErrorKind::usage, "`reproduce` needs an id or the report of a run",
        "`pinwheel plan --format ids` lists the ids; a failed run prints the path of its report");
  }
  Result<ReproduceTarget> target = named.report.empty()
                                       ? from_journal(host, global, named, streams)
                                       : from_report(host, named.report, named.id, streams);
  if (!target) return target;
  if (!named.matrix.empty()) target->matrix = named.matrix.front();
  if (plan::kind_of_step(target->step) == plan::StepKind::publish) {
    return fail(ErrorKind::usage,
                fmt::format("{} is an upload, which cannot be repeated", quoted(target->step)),
                "`pinwheel release` continues where it stopped");
  }
  return target;
}

}  // namespace pinwheel::cli
