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
  /// Bytes per file; the default is 100 MiB for PyPI, where it is never more than
  /// 1 GiB, and no limit elsewhere.
  std::optional<uint64_t> size_limit = std::nullopt;
};

/// All faults of the files, found before the first byte is sent: one error of kind `check` per
/// finding. The files may belong to several projects, each of which is one release. For every
/// index: a valid file name that matches METADATA, no duplicates, one version per project, at most
/// one sdist, at least one wheel, the size limit if there is one, and the contents
/// (`Artifact::content_findings`). For PyPI and TestPyPI also: no local version, accepted platform
/// tags, the metadata rules (`form_findings`), the size limit, and the archive rules, which the
/// server checks only after the whole upload.
std::vector<Error> preflight(const std::vector<Artifact>& files, const PreflightRules& rules);

/// Whether PyPI accepts wheels with that platform tag.
bool is_pypi_platform(std::string_view platform);

/// The parts of a file's upload form that PyPI would reject, one error of kind `check` each: an
/// unknown metadata version, a summary that is too long or has several lines, both License and
/// License-Expression, a requirement that is malformed or has a URL, a malformed Requires-Python, a
/// project URL with a label of more than 32 characters.
std::vector<Error> form_findings(const Artifact& file);

}  // namespace pinwheel::publish
