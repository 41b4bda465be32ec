#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "host/machine/env_machine.h"

namespace pinwheel::host {

/// The stub libraries that were written.
struct StubLibraries {
  std::vector<std::string> names = {};  ///< sorted
  size_t symbols = 0;
  uint64_t bytes = 0;
};

/// Writes stubs for the NVIDIA libraries that the torch in `site_packages` needs and no package
/// there provides to `directory`, which is created: with it on LD_LIBRARY_PATH a CUDA build of
/// torch can be imported without a GPU. A toolkit of the machine is ignored, so that the same
/// environment loads the same way everywhere. Kind `check` if a library of torch cannot be read.
Result<StubLibraries> write_stub_libraries(const EnvMachine& machine,
                                           const std::filesystem::path& site_packages,
                                           const std::filesystem::path& directory);

}  // namespace pinwheel::host
