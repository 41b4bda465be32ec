#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/html_output.h"
#include "cli/options.h"
#include "cli/streams.h"
#include "cli/wheel_argument.h"
#include "compat/assessment.h"
#include "compat/evaluate.h"
#include "compat/gate.h"
#include "compat/run_choice.h"
#include "host/steps/run_with_torch.h"
#include "host/system/process.h"
#include "host/system/scratch_directory.h"
#include "host/system/signals.h"
#include "host/torch/torch_exports.h"
#include "host/torch/torch_wheel.h"
#include "host/wheels/inspect_path.h"
#include "inspect/needed_library.h"
#include "prepare/host.h"
#include "prepare/workplace.h"
#include "report/compat_json.h"
#include "report/compat_text.h"

namespace pinwheel::cli {
namespace {

/// The input of `compat --run`.
struct RunJob {
  const CompatOptions& options;
  const std::filesystem::path& wheel;  ///< its path, perhaps without a valid wheel file name
  const inspect::WheelFacts& facts;
  const compat::Companions& companions;
  compat::RunWish wish;
};

struct RunOutcome {
  /// Requested trials that failed (kind `check`) or could not be run (with their own kind).
  std::vector<Error> failures = {};
  int signal = 0;  ///< the signal that stopped it; 0: none
};

constexpr const char* kNothingToRun =
    "nothing was run: according to its symbols it loads on no known release; pass `--torch "
    "VERSION` to try one anyway\n";

Result<std::chrono::milliseconds> limit_of(const std::string& text) {
  const auto limit = parse_duration(text);
  if (limit && limit->count() > 0) return *limit;
  return fail(ErrorKind::usage, fmt::format("`--timeout` cannot be {}", quoted(text)),
              "use a time such as `10 min`");
}

/// The result of a trial that could not run.
compat::RunResult skipped(const Error& error) {
  compat::RunResult out;
  out.evidence = error.message;
  if (!error.hint.empty()) out.evidence += "\n" + error.hint;
  return out;
}

Error failed_on(const std::string& wheel, const compat::BuildVerdict& build) {
  return {ErrorKind::check,
          fmt::format("{} failed its run with torch {}", quoted(wheel), build.run->torch)};
}

/// A copy of a wheel with its proper name, in a directory that is removed together with it.
struct NamedCopy {
  host::ScratchDirectory directory;
  std::filesystem::path wheel;
};

/// pip relies on the file name, which a downloaded wheel does not have.
Result<std::optional<NamedCopy>> copy_of_unnamed(const RunJob& job,
                                                 const host::EnvMachine& machine) {
  const std::string& name = job.facts.file_name;
  if (job.wheel.filename() == name) return std::nullopt;
  TRY(host::ScratchDirectory directory,
      host::ScratchDirectory::make(
          machine.files, machine.cache / "scratch" / fmt::format("fetched-{}", ::getpid())));
  const std::filesystem::path wheel = directory.path() / name;
  std::error_code error;
  std::filesystem::copy_file(job.wheel, wheel, error);
  if (error) {
    return fail(ErrorKind::environment, fmt::format("{} cannot be written", quoted(wheel.string())),
                error.message());
  }
  return NamedCopy{std::move(directory), wheel};
}

/// Tries the wheel with the chosen builds and adds the results to their verdicts. A build that
/// cannot be tried is `skipped`.
Result<RunOutcome> run_wheel(const prepare::Host& host, const RunJob& job,
                             compat::TorchVerdicts& torch, Streams& streams) {
  TRY(const std::chrono::milliseconds limit, limit_of(job.options.timeout));
  const std::vector<compat::RunTarget> targets = compat::choose_runs(torch, job.wish);
  if (targets.empty()) streams.note(kNothingToRun);
  TRY(const std::filesystem::path cache, prepare::cache_directory(host));
  const host::StopOnSignal stop;
  // The resolution for a release is stored next to the environments created from it.
  host::Workplace place = prepare::outside_run(host, streams.log());
  place.cache = cache;
  place.state = cache / "compat";
  place.stop = stop.token();
  const prepare::OpenMachine local = host.machine(place);
  host::EnvMachine machine = *local;
  machine.user.step = "compat";
  TRY(const std::optional<NamedCopy> copy, copy_of_unnamed(job, machine));
  host::Trial trial{copy ? copy->wheel : job.wheel, job.facts, job.companions};
  trial.with.assign(job.options.with.begin(), job.options.with.end());
  trial.smoke = job.options.smoke;
  trial.limit = limit;
  RunOutcome outcome;
  for (const compat::RunTarget& target : targets) {
    compat::BuildVerdict& build = torch.builds[target.build];
    trial.note = [&](std::string_view line) {
      streams.note(fmt::format("run with torch {}: {}\n", build.build.version, line));
    };
    Result<compat::RunResult> result = host::run_with_torch(machine, trial, target, build);
    outcome.signal = stop.signal();
    if (outcome.signal != 0) return outcome;
    build.run = result ? *result : skipped(result.error());
    if (target.demand == compat::Demand::offered) continue;
    if (!result) outcome.failures.push_back(result.error());
    if (build.run->state == compat::RunState::failed) {
      outcome.failures.push_back(failed_on(job.facts.file_name, build));
    }
  }
  return outcome;
}

/// The builds against which symbols are checked, and those of them that are installed here.
struct KnownTorches {
  exports::Table table;
  std::vector<compat::InstalledTorch> installed = {};
};

/// The site-packages of a directory or a Python.
Result<std::filesystem::path> site_of(const prepare::Host& host, const std::string& place,
                                      Streams& streams) {
  if (host.files.resolved_type(place) == ports::FileType::directory)
    return host::torch_site(place, host.files);
  const prepare::OpenMachine machine = host.machine(prepare::outside_run(host, streams.log()));
  return host::torch_site_of(place, machine->process, host.variables);
}

Result<KnownTorches> known_builds(const prepare::Host& host, const CompatOptions& options,
                                  Streams& streams) {
  KnownTorches known;
  TRY(known.table, host::torch_exports(host.variables, host.files));
  for (const std::string& place : options.installed) {
    TRY(const std::filesystem::path site, site_of(host, place, streams));
    TRY(const exports::Snapshot snapshot, host::read_torch_directory(site, host.files));
    known.table = exports::merge(known.table, snapshot);
    known.installed.push_back({snapshot.build, (host.directory / site).string()});
  }
  return known;
}

Result<compat::Companions> companions_of(const CompatOptions& options) {
  compat::Companions companions;
  companions.declared = options.external;
  for (const std::string& file : options.with) {
    TRY(const inspect::WheelFacts other, host::inspect_wheel({file}));
    TRY_DONE(compat::check_assessable(other));
    if (other.name) companions.wheels.push_back(other.name->tags);
    for (compat::CompanionLibrary& library : compat::companion_libraries(other)) {
      companions.libraries.push_back(std::move(library));
    }
  }
  return companions;
}

/// Selects the requested builds; a word that matches none is an error.
Done choose_builds(const std::vector<std::string>& words,
                   std::vector<compat::BuildVerdict>& builds) {
  if (words.empty()) return {};
  std::vector<std::string> known;  // newest first, because only a few are shown
  for (auto build = builds.rbegin(); build != builds.rend(); ++build) {
    const std::string& version = build->build.version;
    if (known.empty() || known.back() != version) known.push_back(version);
  }
  for (const std::string& word : words) {
    const bool found = std::any_of(builds.begin(), builds.end(), [&](const auto& build) {
      return compat::is_meant(build.build, word);
    });
    if (found) continue;
    return fail(ErrorKind::usage,
                fmt::format("no known build of torch {} is for this wheel", quoted(word)),
                suggest(word, known));
  }
  std::erase_if(builds, [&words](const compat::BuildVerdict& build) {
    return std::none_of(words.begin(), words.end(), [&](const std::string& word) {
      return compat::is_meant(build.build, word);
    });
  });
  return {};
}

Done require(const compat::Assessment& assessment, const std::string& range,
             const pep::SpecifierSet& clauses) {
  const compat::GateResult result = compat::gate(assessment.torch, clauses);
  if (result.judged == 0) {
    return fail(ErrorKind::check, fmt::format("no known build of torch in {} is for {}",
                                              quoted(range), quoted(assessment.wheel)));
  }
  if (result.findings.empty()) return {};
  Error error{ErrorKind::check,
              fmt::format("{} does not load on {} of {} in {}", quoted(assessment.wheel),
                          result.findings.size(), plural(result.judged, "build"), quoted(range))};
  for (const inspect::Finding& finding : result.findings) {
    error.causes.push_back(inspect::to_error(finding));
  }
  return fail(std::move(error));
}

/// Combines several failures into one error of the kind of the first.
Error joined(std::vector<Error> failures) {
  if (failures.size() == 1) return std::move(failures.front());
  Error all{failures.front().kind, fmt::format("{} failed", plural(failures.size(), "run"))};
  all.causes = std::move(failures);
  return all;
}

int interrupted_by(int signal, Streams& streams) {
  constexpr int kSignalled = 128;
  streams.error({ErrorKind::interrupted, "the run was interrupted"});
  return kSignalled + signal;
}

/// Rejects wheels that no Python can install together: they cannot be checked together.
Done check_together(const CompatOptions& options, const inspect::WheelFacts& facts,
                    const compat::TorchVerdicts& torch) {
  if (options.with.empty() || !torch.builds.empty()) return {};
  return fail(
      ErrorKind::usage,
      fmt::format(
          "no Python of any known torch can install {} together with the wheels of `--with`",
          quoted(facts.file_name)),
      "pass wheels for the same Python and architecture");
}

void warn_of_externals(const CompatOptions& options, const inspect::WheelFacts& facts,
                       const compat::Companions& companions, Streams& streams) {
  std::set<std::string> needed = inspect::needed_names(facts.libraries);
  for (const compat::CompanionLibrary& library : companions.libraries) {
    needed.insert(library.needed.begin(), library.needed.end());
  }
  for (const Error& warning : inspect::unmatched_patterns("--external", options.external, needed)) {
    streams.warn(warning);
  }
}

Done check_options(const CompatOptions& options) {
  if (options.run || options.smoke.empty()) return {};
  return fail(ErrorKind::usage, "`--smoke` needs `--run`",
              "run `pinwheel compat WHEEL --run --smoke COMMAND`");
}

}  // namespace

Result<int> cmd_compat(const prepare::Host& host, const prepare::GlobalOptions& /*global*/,
                       const CompatOptions& options, Streams& streams) {
  TRY_DONE(check_options(options));
  TRY_DONE(check_index_option(options.index, {options.wheel}));
  TRY_DONE(check_html(options.html));
  TRY(const pep::SpecifierSet range, parse_torch_range("--require", options.require));
  // pip installs a file.
  const WheelPart part = options.run ? WheelPart::whole : WheelPart::examined;
  TRY(const FileArgument argument,
      open_argument(host, options.wheel, {part, options.index}, streams));
  TRY(const inspect::WheelFacts facts,
      argument.remote ? facts_of(argument, {}, streams) : host::inspect_wheel(argument.input));
  TRY_DONE(compat::check_assessable(facts));
  TRY(const compat::Companions companions, companions_of(options));
  TRY(KnownTorches known, known_builds(host, options, streams));
  warn_of_externals(options, facts, companions, streams);
  compat::Assessment assessment = compat::assess(facts, known.table, companions);
  TRY_DONE(check_together(options, facts, assessment.torch));
  TRY_DONE(choose_builds(options.torch, assessment.torch.builds));
  RunOutcome outcome;
  if (options.run) {
    compat::RunWish wish{options.torch, std::move(known.installed)};
    if (!options.require.empty()) wish.range = range;
    TRY(outcome, run_wheel(host, {options, argument.input.path, facts, companions, std::move(wish)},
                           assessment.torch, streams));
    if (outcome.signal != 0) return interrupted_by(outcome.signal, streams);
  }
  if (!options.html.empty()) {
    nlohmann::ordered_json page = nlohmann::ordered_json::array();
    page.push_back(own_json(report::compat_json(assessment)));
    TRY_DONE(write_html(host, options.html, assessment.wheel, {{"compat", page}}, streams));
  }
  if (options.json) {
    streams.json(report::compat_json(assessment));
  } else if (options.html.empty()) {
    const auto rows = options.all ? report::TorchRows::all : report::TorchRows::grouped;
    streams.data(report::compat_text(assessment, rows, streams.data_columns()));
  }
  if (!options.require.empty()) TRY_DONE(require(assessment, options.require, range));
  if (!outcome.failures.empty()) return fail(joined(std::move(outcome.failures)));
  return 0;
}

}  // namespace pinwheel::cli
