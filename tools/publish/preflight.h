#pragma once
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "publish/artifact.h"
#include "publish/endpoints.h"

namespace pinwheel::publish {

struct PreflightRules {
  IndexKind kind = IndexKind::other;
  /// Bytes for one file; without it PyPI's default of 100 MiB, and no limit elsewhere.
  std::optional<uint64_t> size_limit = std::nullopt;
};

/// Everything that is wrong with the files, found before the first byte is sent: one error of kind
/// `check` for each finding, empty when all is well. The files may be of several projects, each of
/// which is one release. For every index: a readable file name that agrees with METADATA, no name
/// twice, and of each project one version, at most one sdist, at least one wheel, and the size
/// limit where there is one. For PyPI and TestPyPI also: no local version, platform tags that they
/// accept, their rules for metadata (`form_findings`), the size limit, and their rules for
/// archives, which they would apply only after the whole body has been sent.
std::vector<Error> preflight(const std::vector<Artifact>& files, const PreflightRules& rules);

/// Project by project, of each the wheels by file name and the sdist last: with the sdist first,
/// installers would build from source while the wheels are still on their way.
std::vector<Artifact> in_upload_order(std::vector<Artifact> files);

/// Whether PyPI takes wheels of that platform tag.
bool is_pypi_platform(std::string_view platform);

}  // namespace pinwheel::publish
