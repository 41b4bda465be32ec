#pragma once
#include "report/failure.h"
#include "report/printer.h"
#include "run/status.h"

namespace pinwheel::report {

/// One line per event, the failure block of a failed step, each minute a line about
/// each running step with the end of its log, the summary
/// table at the end: for files, pipes and continuous integration.
class PlainStatus final : public run::StatusSink {
 public:
  explicit PlainStatus(Printer printer);

  void plan_started(const plan::Plan& plan, size_t reused) override;
  void step_started(const plan::Step& step, int attempt, int cores) override;
  void step_retry(const plan::Step& step, const Error& error,
                  std::chrono::milliseconds delay) override;
  void step_finished(const plan::StepOutcome& outcome) override;
  void heartbeat(const run::Progress& progress) override;
  void summary(const plan::Report& report) override;

 private:
  Printer printer_;
  ToldFailures failures_;
  std::chrono::milliseconds next_beat_;
};

}  // namespace pinwheel::report
