#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "host/machine/env_machine.h"

namespace pinwheel::host {

/// What was written.
struct StubLibraries {
  std::vector<std::string> names = {};  ///< sorted
  size_t symbols = 0;
  uint64_t bytes = 0;
};

/// Writes stand-ins for the libraries of NVIDIA's that the torch in `site_packages` needs and that
/// no package there brings, into `directory`, which is made: with it on LD_LIBRARY_PATH a CUDA
/// build of torch imports where there is no GPU. A toolkit of the machine is not looked at, so the
/// same environment loads the same way everywhere. Kind `check` when a library of torch cannot be
/// read.
Result<StubLibraries> write_stub_libraries(const EnvMachine& machine,
                                           const std::filesystem::path& site_packages,
                                           const std::filesystem::path& directory);

}  // namespace pinwheel::host
