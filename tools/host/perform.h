#pragma once
#include <stop_token>

#include "base/result.h"
#include "host/env_machine.h"
#include "host/workplace.h"
#include "ports/git.h"
#include "run/runner.h"

namespace pinwheel::host {

/// Carries out one attempt of a step in the real world. Called from a thread of its own for each
/// attempt; a request to stop ends the children and gives an `interrupted` error. Errors carry what
/// the tool's `classify_*` table says of its exit.
Result<run::Success> perform(const Workplace& workplace, const run::Attempt& attempt,
                             std::stop_token stop);

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

Result<run::Success> perform_environment(const Bench& bench, const plan::CreateEnvironment& action);
Result<run::Success> perform_toolkit(const Bench& bench, const plan::MakeToolkit& action);
Result<run::Success> perform_build(const Bench& bench, const plan::BuildWheel& action);
Result<run::Success> perform_sdist(const Bench& bench, const plan::BuildSdist& action);
Result<run::Success> perform_test(const Bench& bench, const plan::TestWheel& action);
Result<run::Success> perform_publish(const Bench& bench, const plan::Publish& action);

}  // namespace pinwheel::host
