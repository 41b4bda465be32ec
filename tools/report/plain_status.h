#pragma once
#include <memory>

#include "report/event_text.h"
#include "report/failure.h"
#include "run/status.h"

namespace pinwheel::report {

/// One line per event, the failure block of a failed step, each minute a line about each running
/// step with the end of its log, and the summary table at the end: for files, pipes and continuous
/// integration.
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
  PrintedFailures failures_;
  std::chrono::milliseconds next_beat_;
};

/// The plain status for a GitHub job: the summary is in a group. Failures and warnings become
/// annotations after the run (`report/failure`, `report/summary`). Groups do not nest, and steps
/// run in parallel, so steps have no groups.
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

/// The status of a quiet run (`--quiet`): passes on only the failed steps, in the form of `inner`.
class FailuresOnly final : public run::StatusSink {
 public:
  explicit FailuresOnly(std::unique_ptr<run::StatusSink> inner);

  void plan_started(const plan::Plan& plan, size_t reused) override;
  void step_started(const plan::Step& step, int attempt, int cores) override;
  void step_retry(const plan::Step& step, const Error& error,
                  std::chrono::milliseconds delay) override;
  void step_finished(const plan::StepOutcome& outcome) override;
  void heartbeat(const run::Progress& progress) override;
  void summary(const plan::Report& report) override;

 private:
  std::unique_ptr<run::StatusSink> inner_;
};

}  // namespace pinwheel::report
