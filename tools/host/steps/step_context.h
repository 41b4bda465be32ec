#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/result.h"
#include "host/machine/contained_machine.h"
#include "host/machine/container_process.h"
#include "host/machine/env_machine.h"
#include "host/machine/local_machine.h"
#include "host/machine/workplace.h"
#include "host/steps/supplier.h"
#include "ports/process.h"
#include "run/attempt.h"

namespace pinwheel::host {

/// The context of an attempt of a step: the machine it runs on, its ports and its paths. A dry run
/// has one, too: its ports write their actions to a script.
struct StepContext {
  const Workplace& workplace;
  const run::Attempt& attempt;
  EnvMachine machine;
  Supplier& supplier;
  std::stop_token stop;
  ContainerProcess* container = nullptr;  ///< that `machine` runs commands in; null: on the host
};

/// An attempt that is ready to run, on the host or in the step's container. Owns everything its
/// context refers to, except `workplace` and `attempt`, which must outlive it.
class OpenStep {
 public:
  /// A stop request terminates its commands.
  OpenStep(const Workplace& workplace, const run::Attempt& attempt, std::stop_token stop);
  OpenStep(const OpenStep&) = delete;
  OpenStep& operator=(const OpenStep&) = delete;

  StepContext context();
  /// nullptr for a step on the host.
  ContainedMachine* container() { return contained_.get(); }

 private:
  friend Result<std::unique_ptr<OpenStep>> open_step(const Workplace& workplace,
                                                     const run::Attempt& attempt,
                                                     std::stop_token stop);
  const Workplace& workplace_;
  const run::Attempt& attempt_;
  std::stop_token stop_;
  LocalMachine local_;
  LocalSupplier supplier_;
  std::unique_ptr<ContainedMachine> contained_;
};

/// Opens the attempt's machine and creates its scratch directory. Upload tokens are only for
/// uploads: no build, test or pip ever sees them. Errors are those of the container engine and the
/// file system.
Result<std::unique_ptr<OpenStep>> open_step(const Workplace& workplace, const run::Attempt& attempt,
                                            std::stop_token stop);

/// The container settings of an action's environment; no base for one on the host.
matrix::ContainerSettings container_settings(const plan::Action& action);

/// The attempt enters a phase, for its trace.
void enter_phase(const StepContext& context, plan::StepPhase phase);

/// Adds bytes that the attempt receives to its trace, for `CountedHttp`; empty without a trace.
std::function<void(uint64_t)> received_by(const StepContext& context);

/// Appends text to the attempt's log; failing to write the log does not fail the step.
void append_log(const StepContext& context, const std::string& text);

/// `interrupted` after a stop request.
Done check_not_stopped(const std::stop_token& stop);

/// Reports the exit of the step's own command.
void report_exit(const StepContext& context, const ports::Exit& exit);

/// The error of a command that ran past the step's limit, kind `timeout`. `key` is the matrix's key
/// for that limit, `build.timeout`.
Error past_time_limit(const StepContext& context, const std::string& what, std::string_view key);

/// Runs a command instead of the step's own, which is passed ready to start.
using Enter = std::function<Result<ports::Exit>(const ports::Command& own)>;

}  // namespace pinwheel::host
