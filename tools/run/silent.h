#pragma once
#include <chrono>

#include "run/runner.h"
#include "run/status.h"

namespace pinwheel::run {

/// Records nothing: for an execution without effects.
class NoRecorder final : public Recorder {
 public:
  Done started(const Attempt& /*attempt*/) override { return {}; }
  Done finished(const plan::StepOutcome& /*outcome*/) override { return {}; }
};

/// Shows nothing: for an execution whose only output is its result.
class NoStatus final : public StatusSink {
 public:
  void plan_started(const plan::Plan& /*plan*/, size_t /*reused*/) override {}
  void step_started(const plan::Step& /*step*/, int /*attempt*/, int /*cores*/) override {}
  void step_retry(const plan::Step& /*step*/, const Error& /*error*/,
                  std::chrono::milliseconds /*delay*/) override {}
  void step_finished(const plan::StepOutcome& /*outcome*/) override {}
  void heartbeat(const Progress& /*progress*/) override {}
  void summary(const plan::Report& /*report*/) override {}
};

}  // namespace pinwheel::run
