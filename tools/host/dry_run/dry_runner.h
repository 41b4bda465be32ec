#pragma once
#include <deque>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/dry_run/script.h"
#include "host/machine/workplace.h"
#include "run/executor.h"

namespace pinwheel::host {

/// An executor that runs nothing: it prepares and starts each step with ports that write a bash
/// script, which builds the same wheels when run. Tests and publishing have no commands yet: the
/// script has only a comment for them.
class DryRunner final : public run::Executor {
 public:
  /// `print` receives the script; `program` is the pinwheel executable, for finishing.
  DryRunner(Workplace workplace, const std::filesystem::path& program,
            std::function<void(std::string_view)> print);

  run::Capabilities capabilities() const override { return {}; }
  void submit(const std::vector<run::StepJob>& jobs) override;
  run::Event poll(std::chrono::steady_clock::time_point deadline) override;
  void cancel(const std::vector<std::string>& /*tokens*/) override {}
  std::optional<run::Completed> collect(const std::string& token) const override;

 private:
  Result<run::Success> print_step(const run::Attempt& attempt);

  Workplace workplace_;
  std::function<void(std::string_view)> print_;
  Script script_;
  run::KnownJobs jobs_;
  std::deque<run::Completed> ended_;
};

}  // namespace pinwheel::host
