#pragma once
#include <map>
#include <stop_token>
#include <string>

#include "base/result.h"
#include "host/machine/env_machine.h"
#include "host/machine/workplace.h"
#include "ports/git.h"
#include "run/runner.h"

namespace pinwheel::host {

/// Carries out one attempt of a step in the real world. Called from a thread of its own for each
/// attempt; a request to stop ends the children and gives an `interrupted` error. Errors carry what
/// the tool's `classify_*` table says of its exit.
Result<run::Success> perform(const Workplace& workplace, const run::Attempt& attempt,
                             std::stop_token stop);

/// What the step's environment is contained in; no base for one on the host.
matrix::ContainerSettings container_of(const plan::Action& action);

/// Upload tokens are for the upload alone: no build, test or pip ever sees them.
std::map<std::string, std::string> without_tokens(std::map<std::string, std::string> variables);

/// What each performer works with: the ports of this attempt and its paths.
struct Bench {
  const Workplace& workplace;
  const run::Attempt& attempt;
  EnvMachine machine;
  ports::Git& git;
  std::stop_token stop;
};

/// Adds text to the attempt's log; a log that cannot be written is no reason to fail the step.
void append_log(const Bench& bench, const std::string& text);

/// Tells who asked how a command of the step's own ended.
void tell_exit(const Bench& bench, const ports::Exit& exit);

Result<run::Success> perform_environment(const Bench& bench, const plan::CreateEnvironment& action);
Result<run::Success> perform_toolkit(const Bench& bench, const plan::MakeToolkit& action);
Result<run::Success> perform_build(const Bench& bench, const plan::BuildWheel& action);
Result<run::Success> perform_sdist(const Bench& bench, const plan::BuildSdist& action);
Result<run::Success> perform_test(const Bench& bench, const plan::TestWheel& action);
Result<run::Success> perform_publish(const Bench& bench, const plan::Publish& action);

}  // namespace pinwheel::host
