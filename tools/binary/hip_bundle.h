#pragma once
#include <vector>

#include "base/result.h"
#include "binary/device_code.h"
#include "binary/window.h"

namespace pinwheel::binary {

/// Adds the code objects of the offload bundles that fill a section (`.hip_fatbin`), zeros between
/// them (clang-offload-bundler's format; plain, and compressed in versions 1 to 3). Host entries
/// are left out. Of a zstd bundle only its beginning is decompressed. Kind `check` when a bundle
/// does not fit its section, does not decompress, or announces more than its compression can reach.
Done read_hip_bundles(Window& section, std::vector<DeviceCode>& out);

}  // namespace pinwheel::binary
