#include "report/failures_only.h"

#include <utility>

namespace pinwheel::report {

FailuresOnly::FailuresOnly(std::unique_ptr<run::StatusSink> inner) : inner_(std::move(inner)) {}

void FailuresOnly::plan_started(const plan::Plan& /*plan*/, size_t /*reused*/) {}

void FailuresOnly::step_started(const plan::Step& /*step*/, int /*attempt*/, int /*cores*/) {}

void FailuresOnly::step_retry(const plan::Step& /*step*/, const Error& /*error*/,
                              std::chrono::milliseconds /*delay*/) {}

void FailuresOnly::step_finished(const plan::StepOutcome& outcome) {
  if (outcome.state == plan::StepState::failed) inner_->step_finished(outcome);
}

void FailuresOnly::heartbeat(const run::Progress& /*progress*/) {}

void FailuresOnly::summary(const plan::Report& /*report*/) {}

}  // namespace pinwheel::report
