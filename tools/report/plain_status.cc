#include "report/plain_status.h"

#include <utility>

#include "report/event_text.h"
#include "report/summary.h"

namespace pinwheel::report {

PlainStatus::PlainStatus(Printer printer) : printer_(std::move(printer)), next_beat_(kHeartbeat) {}

void PlainStatus::plan_started(const plan::Plan& plan, size_t reused) {
  printer_.out(plan_line(plan.steps.size(), reused));
}

void PlainStatus::step_started(const plan::Step& step, int attempt, int cores) {
  printer_.out(started_line(step.id, attempt, cores, printer_.color));
}

void PlainStatus::step_retry(const plan::Step& step, const Error& error,
                             std::chrono::milliseconds delay) {
  printer_.out(retry_line(step.id, error, delay, printer_.color));
}

void PlainStatus::step_finished(const plan::StepOutcome& outcome) {
  printer_.out(finished_line(outcome, printer_.color));
  if (outcome.state == plan::StepState::failed) {
    printer_.out(failures_.text_of(outcome, printer_.facts(outcome)));
  }
}

void PlainStatus::heartbeat(const run::Progress& progress) {
  if (progress.elapsed < next_beat_) return;
  next_beat_ = progress.elapsed + kHeartbeat;
  printer_.out(heartbeat_lines(progress, printer_.color, printer_.log_end));
}

void PlainStatus::summary(const plan::Report& report) {
  printer_.out(summary_table(report, printer_.columns));
}

GitHubStatus::GitHubStatus(Printer printer) : printer_(printer), plain_(std::move(printer)) {}

void GitHubStatus::plan_started(const plan::Plan& plan, size_t reused) {
  plain_.plan_started(plan, reused);
}

void GitHubStatus::step_started(const plan::Step& step, int attempt, int cores) {
  plain_.step_started(step, attempt, cores);
}

void GitHubStatus::step_retry(const plan::Step& step, const Error& error,
                              std::chrono::milliseconds delay) {
  plain_.step_retry(step, error, delay);
}

void GitHubStatus::step_finished(const plan::StepOutcome& outcome) {
  plain_.step_finished(outcome);
}

void GitHubStatus::heartbeat(const run::Progress& progress) {
  plain_.heartbeat(progress);
}

void GitHubStatus::summary(const plan::Report& report) {
  printer_.command("::group::summary\n");
  plain_.summary(report);
  printer_.command("::endgroup::\n");
}

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
