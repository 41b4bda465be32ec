#pragma once
#include "report/plain_status.h"

namespace pinwheel::report {

/// The plain status for a GitHub job: the summary is in a group. Failures and warnings are
/// annotated when the run has ended (`report/failure_cause`, `report/step_warning`). Groups do not
/// nest, and steps run in parallel, so steps have no groups.
class GitHubStatus final : public run::StatusSink {
 public:
  explicit GitHubStatus(Printer printer);

  void plan_started(const plan::Plan& plan, size_t reused) override;
  void step_started(const plan::Step& step, int attempt, int cores) override;
  void step_retry(const plan::Step& step, const Error& error,
                  std::chrono::milliseconds delay) override;
  void step_finished(const plan::StepOutcome& outcome) override;
  void heartbeat(const run::Progress& progress) override;
  void summary(const plan::Report& report) override;

 private:
  Printer printer_;
  PlainStatus plain_;
};

}  // namespace pinwheel::report
