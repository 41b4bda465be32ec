#pragma once
#include "base/result.h"
#include "binary/code_list.h"
#include "binary/window.h"

namespace pinwheel::binary {

/// Adds the code objects of the offload bundles that fill a section (`.hip_fatbin`), with zeros
/// between them (clang-offload-bundler's format; plain, and compressed in versions 1 to 3). Host
/// entries are skipped. Only the beginning of a compressed bundle is decompressed. Kind `check`
/// when a bundle does not fit its section, does not decompress, declares a size that its data
/// cannot decompress to, or is over a limit of `base/limits`.
Done read_hip_bundles(Window& section, CodeList& out);

}  // namespace pinwheel::binary
