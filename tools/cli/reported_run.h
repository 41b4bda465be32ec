#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "analysis/compare_runs.h"
#include "analysis/duration_history.h"
#include "base/result.h"
#include "cli/options.h"
#include "cli/streams.h"
#include "plan/outcome.h"
#include "prepare/host.h"

namespace pinwheel::cli {

struct ReportedRun {
  std::vector<plan::StepOutcome> outcomes;
  std::string files = {};  ///< the directory of its results, if it was read from one
  std::string plan = {};   ///< digests of its matrix and source; empty if it does not name them
};

/// The last run in the state directory; `usage` if none executed a step.
Result<ReportedRun> last_run(const prepare::GlobalOptions& global);

/// A run by its name in the state directory, or in a file or at a URL: a report in any text that
/// contains one, or the last run of a journal. A directory has the results of steps: a place on
/// disk, or the artifacts of a workflow's jobs, of which each counts for its own step only. `usage`
/// if there is none of that name.
Result<ReportedRun> read_run(const prepare::Host& host, const prepare::GlobalOptions& global,
                             const std::string& run, Streams& streams);

/// The durations of steps in earlier runs, for a comparison of `before` with `after`: those of the
/// journal that contains `before`, up to and with that run; if none does, the runs before `after`
/// in its journal. Empty if neither run is in a journal, as for runs of another machine.
Result<analysis::EarlierDurations> earlier_durations(const prepare::Host& host,
                                                     const prepare::GlobalOptions& global,
                                                     const std::string& before,
                                                     const std::string& after);

/// The durations in a file of `--update-history`. A file that cannot be read counts as empty, with
/// a warning, because its contents only refine a comparison; one that does not exist is empty.
analysis::DurationHistory read_history_file(const prepare::Host& host, const std::string& file,
                                            Streams& streams);

/// Adds the durations of a run to such a file.
Done update_history_file(const prepare::Host& host, const std::string& file,
                         const std::vector<plan::StepOutcome>& outcomes, Streams& streams);

/// Whether the regular file there has the bytes of the output.
bool has_bytes_of(const std::filesystem::path& path, const plan::Output& output);

}  // namespace pinwheel::cli
