#include "report/plain_status.h"

#include <utility>

#include "report/event_text.h"
#include "report/heartbeat.h"
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
    printer_.out(failures_.tell(outcome, printer_.facts(outcome)));
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

}  // namespace pinwheel::report
