#include "session/run_checkpoints.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <system_error>

#include "base/text.h"
#include "host/store/tree_inventory.h"
#include "plan/action.h"
#include "prepare/time_left.h"

namespace pinwheel::session {
namespace {

namespace fs = std::filesystem;
using SteadyTime = std::chrono::steady_clock::time_point;

/// The directory of checkpoints of a run without a store, below its state directory.
constexpr const char* kCheckpoints = "checkpoints";

/// The earlier of a limit and the end of the job of Slurm that this runs in.
std::optional<SteadyTime> sooner_end(const prepare::Host& host, const host::Workplace& workplace,
                                     const std::optional<SteadyTime>& limit) {
  const std::optional<prepare::JobEnd> job =
      prepare::find_job_end(*host.machine(workplace), host.variables);
  if (!job) return limit;
  const SteadyTime end = host.clock.steady() + (job->at - host.clock.now());
  return limit ? std::min(*limit, end) : end;
}

/// Whether a directory has no checkpoint of a step that is not finished now.
bool is_over(const fs::path& directory, const plan::Report& report) {
  std::set<std::string> finished;
  for (const plan::StepOutcome& outcome : report.outcomes) {
    const bool ended =
        outcome.state == plan::StepState::done || outcome.state == plan::StepState::reused;
    if (ended) finished.insert(outcome.id);
  }
  const std::vector<host::TreeEntry> entries = host::read_entries(directory.string());
  return std::ranges::all_of(entries, [&finished](const host::TreeEntry& found) {
    return found.entry.outputs.empty() || finished.contains(found.entry.step);
  });
}

}  // namespace

const matrix::CheckpointSettings* checkpoint_settings(const plan::Step& step) {
  const auto* const build = std::get_if<plan::BuildWheel>(&step.action);
  const bool saves = build != nullptr && build->settings.build.checkpoint.has_value();
  return saves ? &*build->settings.build.checkpoint : nullptr;
}

RunCheckpoints open_checkpoints(const CheckpointPlaces& places,
                                const std::vector<const plan::Step*>& steps) {
  const bool saved = std::ranges::any_of(
      steps, [](const plan::Step* step) { return checkpoint_settings(*step) != nullptr; });
  if (!saved) return {};
  const bool named = !places.named.empty();
  if (!named && places.store) return {std::make_shared<host::StoredCheckpoints>(places.store), {}};
  std::error_code ignored;
  const fs::path directory =
      named ? fs::absolute(places.named, ignored) : places.state / kCheckpoints;
  const auto open = [directory, own = places.domain]() -> Result<std::shared_ptr<host::Store>> {
    return host::checkpoints_directory(directory, own);
  };
  return {std::make_shared<host::StoredCheckpoints>(open), directory};
}

void close_checkpoints(ports::Files& files, const RunCheckpoints& checkpoints,
                       const plan::Report& report, Console& console) {
  if (!checkpoints.stored) return;
  for (const Error& warning : checkpoints.stored->warnings()) console.warn(warning);
  if (checkpoints.directory.empty() || !is_over(checkpoints.directory, report)) return;
  for (const char* const name : {"ac", "cas", "runs"}) {
    const Done removed = files.remove_all(checkpoints.directory / name);
    if (!removed) console.warn(removed.error());
  }
}

Result<std::optional<SteadyTime>> end_of_run(const prepare::Host& host,
                                             const host::Workplace& workplace,
                                             const std::vector<const plan::Step*>& steps,
                                             const std::optional<SteadyTime>& limit) {
  const std::optional<SteadyTime> end = sooner_end(host, workplace, limit);
  if (!end) return end;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*end - host.clock.steady());
  for (const plan::Step* const step : steps) {
    const matrix::CheckpointSettings* const settings = checkpoint_settings(*step);
    if (settings == nullptr || settings->before < left) continue;
    return fail(ErrorKind::usage,
                fmt::format("{} would be stopped at once: `build.checkpoint.before` is {}, and {} "
                            "of the run's time is left",
                            quoted(step->id), format_duration(settings->before),
                            format_duration(std::max(left, std::chrono::milliseconds(0)))),
                "give the run more time (`--time-limit`), or make `before` shorter");
  }
  return end;
}

}  // namespace pinwheel::session
