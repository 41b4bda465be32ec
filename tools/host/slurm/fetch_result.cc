#include "host/slurm/fetch_result.h"

#include <fmt/format.h>

#include <system_error>

#include "base/text.h"
#include "plan/device_code.h"

namespace pinwheel::host {

namespace fs = std::filesystem;

Result<run::Success> fetch_result(const plan::StepOutcome& outcome, Store& store,
                                  const std::filesystem::path& output,
                                  const std::stop_token& stop) {
  run::Success success;
  success.derivations = outcome.derivations;
  success.evidence = outcome.evidence;
  success.warnings = outcome.warnings;
  success.installing = outcome.installing;
  if (outcome.state == plan::StepState::skipped) success.skipped = outcome.reason;
  std::error_code error;
  const fs::path directory = output / plan::output_directory(outcome.id);
  if (!outcome.outputs.empty()) fs::create_directories(directory, error);
  if (error) {
    return fail(ErrorKind::environment,
                fmt::format("{} cannot be made: {}", quoted(directory.string()), error.message()));
  }
  for (const plan::Output& file : outcome.outputs) {
    if (stop.stop_requested()) return fail(ErrorKind::interrupted, "the run was interrupted");
    const fs::path target = directory / fs::path(file.path).filename();
    TRY(const bool fetched, store.fetch_blob({file.sha256, file.size}, target));
    if (!fetched) {
      return fail(ErrorKind::transient,
                  fmt::format("no store has {}, which the job of {} made",
                              quoted(target.filename().string()), quoted(outcome.id)),
                  "the store must be one that all nodes share");
    }
    success.outputs.push_back({target.string(), file.sha256, file.size});
  }
  return success;
}

}  // namespace pinwheel::host
