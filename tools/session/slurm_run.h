#pragma once
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "host/machine/workplace.h"
#include "host/slurm/slurm_commands.h"
#include "host/slurm/slurm_executor.h"
#include "plan/step.h"
#include "ports/log.h"
#include "prepare/host.h"
#include "run/executor.h"
#include "session/console.h"
#include "slurm/settings.h"
#include "store/domain.h"

namespace pinwheel::session {

/// The additional input of a run on a Slurm cluster.
struct SlurmRequest {
  slurm::SlurmSettings settings;
  /// The text of the frozen plan.
  std::function<Result<std::string>()> frozen = {};
  /// The options of the command line that jobs get as well, with absolute paths.
  std::vector<std::string> arguments = {};
};

/// The executor `slurm` of a run, with everything that it refers to.
class SlurmRun {
 public:
  /// Makes the directory of the plan's jobs, `slurm/<plan>` in the shared directory. Its name is a
  /// digest of the steps and of the frozen plan, which has all that a job checks: the jobs of
  /// another commit or matrix have another directory, and find finished results in the store.
  /// Errors are those of files, of freezing the plan, and `config` for paths that a script for
  /// sbatch cannot have. The references outlive the result.
  static Result<std::unique_ptr<SlurmRun>> open(const prepare::Host& host,
                                                const SlurmRequest& request,
                                                const host::Workplace& workplace,
                                                const plan::Plan& plan, host::Store& store);

  /// `local` runs the steps of the caller. It and this object must outlive the result.
  std::unique_ptr<host::SlurmExecutor> executor(run::Executor& local, Console& console);

  /// Ends the programs that wait for the controller. To be called after a signal, when `local`
  /// knows it; from any thread.
  void interrupt() { stop_.request_stop(); }

 private:
  SlurmRun(const prepare::Host& host, const host::Workplace& workplace, host::SlurmSetup setup,
           const plan::Plan& plan, host::Store& store);

  const prepare::Host& host_;
  std::stop_source stop_ = {};
  const prepare::OpenMachine stoppable_;
  const prepare::OpenMachine later_;  ///< cancels jobs after a signal
  host::UntilStopped process_;
  const host::SlurmSetup setup_;
  host::Store& store_;
  host::SlurmRunDirectory directory_;
  const std::unique_ptr<host::SlurmCommands> commands_;
};

/// For a dry run: the script that submits the jobs of a plan, as a run whose results have this
/// domain would. Asks the cluster for its largest array.
Result<std::string> slurm_script(const prepare::Host& host, const SlurmRequest& request,
                                 const host::Workplace& workplace, const plan::Plan& plan,
                                 store::Domain domain);

}  // namespace pinwheel::session
