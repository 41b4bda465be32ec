#pragma once
#include <filesystem>
#include <vector>

#include "base/result.h"
#include "ports/files.h"
#include "publish/artifact.h"

namespace pinwheel::host {

/// Reads the facts about a file to publish, a wheel or an sdist (`.tar.gz`): name, size, digests
/// (in one pass), metadata and form fields, its archive's violations of PyPI's rules, and an
/// sdist's violations of the metadata rules (`wheel/metadata_rules`). Kind `config` if the file is
/// missing or is neither, `check` if it is corrupt or has no metadata.
Result<publish::Artifact> read_artifact(const std::filesystem::path& path);
Result<std::vector<publish::Artifact>> read_artifacts(
    const std::vector<std::filesystem::path>& paths);

/// The attestations that are stored next to a file, by the names of `publish::attestation_names`.
/// Kind `check` for one that is malformed, a bundle, or about another file.
Result<std::vector<publish::Attestation>> stored_attestations(const publish::Artifact& file,
                                                              ports::Files& files);

}  // namespace pinwheel::host
