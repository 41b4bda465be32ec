#pragma once
#include <filesystem>

#include "base/result.h"
#include "exports/snapshot.h"

namespace pinwheel::host {

/// What the torch in a site-packages directory exports: every library in `torch/lib`, under the
/// version and the Python tag of its metadata. Kind `config` when there is no torch, `check` when
/// one of its libraries or its metadata cannot be read.
Result<exports::Snapshot> read_installed_torch(const std::filesystem::path& site_packages);

}  // namespace pinwheel::host
