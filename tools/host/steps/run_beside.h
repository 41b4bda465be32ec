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

/// A wheel that is tried, and what is done with it.
struct Trial {
  std::filesystem::path wheel;
  const inspect::WheelFacts& facts;
  const compat::Beside& beside;                  ///< what its symbols are judged beside
  std::vector<std::filesystem::path> with = {};  ///< wheels that are installed, too
  std::string smoke = {};                        ///< for `sh -c`; empty: none
  std::chrono::milliseconds limit = {};          ///< for each thing that is started of the wheel
  /// Told what begins, before it does; a line without its end.
  std::function<void(std::string_view line)> note = {};
};

/// Tries the wheel beside a torch: that of `target.site_packages`, which is not written, or the
/// build of the verdict, installed from the user's own index into an environment of the cache. The
/// wheel goes, whatever its metadata asks of torch, into an environment on top, with what else it
/// asks for; then every library is opened, its modules are imported, and the command runs, in
/// directories that are gone afterwards. Stub libraries stand in for CUDA's where there is no GPU.
///
/// That it fails is a value; an error means that it could not be tried: `interrupted`, no Python of
/// the wheel's, a torch that the index does not have or has without CUDA, packages that do not go
/// together.
Result<compat::RunResult> run_beside(const EnvMachine& machine, const Trial& trial,
                                     const compat::RunTarget& target,
                                     const compat::BuildVerdict& verdict);

}  // namespace pinwheel::host
