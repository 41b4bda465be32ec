#pragma once
#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "compat/evaluate.h"
#include "compat/run_choice.h"
#include "host/machine/env_machine.h"

namespace pinwheel::host {

/// A wheel to try, and the settings of the trial.
struct Trial {
  std::filesystem::path wheel;
  const inspect::WheelFacts& facts;
  const compat::Companions& companions;          ///< the other wheels whose symbols count
  std::vector<std::filesystem::path> with = {};  ///< wheels to install with it
  std::string smoke = {};                        ///< for `sh -c`; empty: none
  std::chrono::milliseconds limit = {};          ///< for each process started to try the wheel
  /// Called before each action with a line without a newline.
  std::function<void(std::string_view line)> note = {};
};

/// Tries the wheel with a torch: that of `target.site_packages`, which is not modified and of which
/// only torch and its requirements are visible, or the build of the verdict, installed from the
/// user's index in an environment of the cache. The wheel is installed in an overlay with its other
/// dependencies, regardless of the torch version it requires; then every library is opened, its
/// modules are imported, and the command runs, in directories that are removed afterwards. Stub
/// libraries replace CUDA's if there is no GPU.
///
/// A failure of the wheel is a value; an error means that it could not be tried: `interrupted`, no
/// matching Python, a torch that the index does not have or has only without CUDA, conflicting
/// packages.
Result<compat::RunResult> run_with_torch(const EnvMachine& machine, const Trial& trial,
                                         const compat::RunTarget& target,
                                         const compat::BuildVerdict& verdict);

}  // namespace pinwheel::host
