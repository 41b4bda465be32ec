#pragma once
#include <vector>

#include "base/result.h"
#include "binary/device_code.h"
#include "binary/window.h"

namespace pinwheel::binary {

/// Adds the code objects of the offload bundles that fill a section (`.hip_fatbin`), with zeros
/// between them (clang-offload-bundler's format; plain, and compressed in versions 1 to 3). Host
/// entries are skipped. Only the beginning of a zstd bundle is decompressed. Kind `check` when a
/// bundle does not fit its section, does not decompress, or declares a size that its data cannot
/// decompress to.
Done read_hip_bundles(Window& section, std::vector<DeviceCode>& out);

}  // namespace pinwheel::binary
