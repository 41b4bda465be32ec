#pragma once
#include <filesystem>
#include <vector>

#include "base/result.h"
#include "publish/artifact.h"

namespace pinwheel::host {

/// Reads what decisions about a file need: name, size, digests (in one pass), metadata and form
/// fields, and what its archive breaks of PyPI's rules. Wheels and sdists (`.tar.gz`). Kind
/// `config` when the file is missing or is neither, `check` when it is damaged or has no metadata.
Result<publish::Artifact> read_artifact(const std::filesystem::path& path);
Result<std::vector<publish::Artifact>> read_artifacts(
    const std::vector<std::filesystem::path>& paths);

}  // namespace pinwheel::host
