#pragma once
#include <map>
#include <string>

#include "plan/outcome.h"
#include "prepare/options.h"
#include "report/failure.h"
#include "session/run_request.h"

namespace pinwheel::session {

/// What people are told of the failures of a run beside their errors. A log is read once, whoever
/// tells it: the terminal, annotations, the step summary. For one thread.
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
