#pragma once
#include <vector>

#include "base/result.h"
#include "binary/device_code.h"
#include "binary/window.h"

namespace pinwheel::binary {

/// Adds the entries of the CUDA fat binary containers that fill a section (`.nv_fatbin`,
/// `__nv_relfatbin`): one container for each translation unit, zeros between them. Nothing is
/// decompressed. Kind `check` when a container or an entry does not fit, or anything else stands
/// there.
Done read_fatbins(Window& section, std::vector<DeviceCode>& out);

/// The same where containers may stand anywhere, at offsets divisible by 8: what looks like one but
/// does not fit is other data; an entry that does not fit its container is damage.
Done find_fatbins(Window& segment, std::vector<DeviceCode>& out);

}  // namespace pinwheel::binary
