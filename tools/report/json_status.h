#pragma once
#include <functional>
#include <string_view>

#include "run/status.h"

namespace pinwheel::report {

/// One JSON object per line, with the member `event`: plan_started, step_started, step_retry,
/// step_finished (with the outcome as in the journal), progress each minute, summary.
class JsonStatus final : public run::StatusSink {
 public:
  explicit JsonStatus(std::function<void(std::string_view)> out);

  void plan_started(const plan::Plan& plan, size_t reused) override;
  void step_started(const plan::Step& step, int attempt, int cores) override;
  void step_retry(const plan::Step& step, const Error& error,
                  std::chrono::milliseconds delay) override;
  void step_finished(const plan::StepOutcome& outcome) override;
  void heartbeat(const run::Progress& progress) override;
  void summary(const plan::Report& report) override;

 private:
  std::function<void(std::string_view)> out_;
  std::chrono::milliseconds next_beat_;
};

}  // namespace pinwheel::report
