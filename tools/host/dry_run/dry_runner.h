#pragma once
#include <deque>
#include <filesystem>
#include <functional>
#include <string_view>

#include "host/dry_run/script.h"
#include "host/machine/workplace.h"
#include "run/runner.h"

namespace pinwheel::host {

/// A Runner that runs nothing: it prepares and starts each step with ports that write a bash
/// script, which builds the same wheels when run. Tests and publishing have no commands yet: the
/// script has only a comment for them.
class DryRunner final : public run::Runner {
 public:
  /// `print` receives the script; `program` is the pinwheel executable, for finishing.
  DryRunner(Workplace workplace, const std::filesystem::path& program,
            std::function<void(std::string_view)> print);

  void start(const run::Attempt& attempt) override;
  run::Event wait(std::chrono::steady_clock::time_point deadline) override;
  void cancel_all() override {}

 private:
  Workplace workplace_;
  std::function<void(std::string_view)> print_;
  Script script_;
  std::deque<run::Completed> ended_;
};

}  // namespace pinwheel::host
