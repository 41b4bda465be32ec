#pragma once
#include <memory>

#include "run/status.h"

namespace pinwheel::report {

/// The status of a quiet run (`--quiet`): passes on the failed steps alone, in the form of `inner`.
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
