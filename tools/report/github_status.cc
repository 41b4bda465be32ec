#include "report/github_status.h"

#include <utility>

namespace pinwheel::report {

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

}  // namespace pinwheel::report
