#include "cli/compat_run.h"

#include <fmt/format.h>

#include <unistd.h>

#include <optional>

#include "base/text.h"
#include "host/steps/run_beside.h"
#include "host/system/scratch_directory.h"
#include "host/system/stop_on_signal.h"
#include "prepare/host.h"
#include "prepare/workplace.h"

namespace pinwheel::cli {
namespace {

constexpr const char* kNothingToRun =
    "nothing was run: according to its symbols it loads on no known release; pass `--torch "
    "VERSION` to try one anyway\n";

Result<std::chrono::milliseconds> limit_of(const std::string& text) {
  const auto limit = parse_duration(text);
  if (limit && limit->count() > 0) return *limit;
  return fail(ErrorKind::usage, fmt::format("`--timeout` cannot be {}", quoted(text)),
              "use a time such as `10 min`");
}

/// The result of a trial that could not be run.
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

/// A copy of a wheel with its proper name, in a directory that is removed with it.
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

}  // namespace

Result<RunOutcome> run_wheel(const prepare::Host& host, const RunJob& job,
                             compat::TorchVerdicts& torch, Streams& streams) {
  TRY(const std::chrono::milliseconds limit, limit_of(job.options.timeout));
  const std::vector<compat::RunTarget> targets = compat::choose_runs(torch, job.wish);
  if (targets.empty()) streams.note(kNothingToRun);
  TRY(const std::filesystem::path cache, prepare::cache_directory(host));
  const host::StopOnSignal stop;
  // The resolution for a release is stored beside the environments created from it.
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
    Result<compat::RunResult> result = host::run_beside(machine, trial, target, build);
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

}  // namespace pinwheel::cli
