#pragma once
#include <memory>

#include "ports/log.h"
#include "run/status.h"

namespace pinwheel::report {

/// Logs what becomes of each step, and the files that it put in place, besides what another sink
/// tells people: `run_started`, `attempt_started`, `attempt_repeats`, `file_placed`, `step_ended`,
/// `run_ended`.
class LoggedStatus final : public run::StatusSink {
 public:
  LoggedStatus(std::unique_ptr<run::StatusSink> status, ports::LogHandle log);

  void plan_started(const plan::Plan& plan, size_t reused) override;
  void step_started(const plan::Step& step, int attempt, int cores) override;
  void step_retry(const plan::Step& step, const Error& error,
                  std::chrono::milliseconds delay) override;
  void step_finished(const plan::StepOutcome& outcome) override;
  void heartbeat(const run::Progress& progress) override;
  void summary(const plan::Report& report) override;

 private:
  void log(std::string name, std::vector<ports::LogField> fields);

  std::unique_ptr<run::StatusSink> status_;
  ports::LogHandle log_;
};

}  // namespace pinwheel::report
