#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "host/machine/workplace.h"
#include "host/run/stored_checkpoints.h"
#include "host/run/stored_results.h"
#include "host/store/store.h"
#include "plan/origin.h"
#include "plan/outcome.h"
#include "plan/reuse.h"
#include "plan/step.h"
#include "prepare/host.h"
#include "prepare/options.h"
#include "publish/release_record.h"
#include "report/failure.h"
#include "report/report_json.h"
#include "session/console.h"
#include "session/slurm_run.h"

namespace pinwheel::session {

/// The file name of a failed run's report, next to its logs.
inline constexpr const char* kReportName = "report.json";

/// The input of a run, decided before any action.
struct RunRequest {
  plan::Plan plan;
  host::Workplace workplace;
  /// "release matrix.yaml --target index", quoted, for the command that repeats a step.
  std::string program_arguments;
  /// The origin of the run; called when its report is written.
  std::function<Result<plan::RunOrigin>()> origin = {};
  /// For the records of what is published; none are written without it.
  std::optional<publish::ReleaseFacts> release = {};
  plan::Results results = {};               ///< existing results in addition to the journal's
  std::shared_ptr<host::Store> store = {};  ///< may be null: none
  /// Opens the places of the store again, with no faults yet; empty: the run writes to none.
  host::OpenStore open_store = {};
  std::stop_source stop_store = {};  ///< ends the transfers of the store
  host::ResultFacts facts = {};
  std::set<std::string> repeated = {};  ///< ids of steps whose stored results are not used
  /// Set for a run that only reuses: the steps that it may execute.
  std::optional<std::set<std::string>> requested = {};
  /// For a release that only reuses: tests without a runner in workflows.
  std::vector<std::string> unplaced = {};
  /// Set for a gate: the publications for which all results must exist, and tests must have enough
  /// evidence.
  std::optional<std::vector<plan::Step>> gate = {};
  std::string gate_message = {};           ///< the message if it holds
  std::optional<SlurmRequest> slurm = {};  ///< set for `--executor slurm`
};

/// Executes a plan, with a journal, status lines and a step summary. A run with a failed step
/// writes its report next to its logs as `report.json`, and one that publishes writes the records
/// of the release next to its wheels (`publish/release_record`). `check` before anything runs if it
/// only reuses, and a result is missing.
Result<report::RunReport> execute_run(const prepare::Host& host,
                                      const prepare::GlobalOptions& global,
                                      const prepare::RunOptions& options, const RunRequest& request,
                                      Console& console);

/// Executes a plan, or prints it for a dry run. Returns the report's exit code.
Result<int> run_plan(const prepare::Host& host, const prepare::GlobalOptions& global,
                     const prepare::RunOptions& options, const RunRequest& request,
                     Console& console);

/// The facts about the failures of a run beyond their errors. Each log is read once for all
/// reports: the terminal, annotations, the step summary. For one thread.
class KnownFailures {
 public:
  /// Both outlive it.
  KnownFailures(const prepare::GlobalOptions& global, const RunRequest& request)
      : global_(global), request_(request) {}

  const report::FailureFacts& of(const plan::StepOutcome& failed);

 private:
  const prepare::GlobalOptions& global_;
  const RunRequest& request_;
  std::map<std::string, report::FailureFacts> known_ = {};  ///< by step
};

}  // namespace pinwheel::session
