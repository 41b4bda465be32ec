#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "publish/pinned_version.h"

namespace pinwheel::publish {

/// What a lock needs.
struct LockVersions {
  std::vector<PinnedVersion> versions;  ///< in the order of the file
  /// Files that `-r` and `-c` of a requirements file name, relative to it.
  std::vector<std::string> includes = {};
};

/// The versions that a lock names: `uv.lock`, `pylock.toml` (PEP 751) and other TOML locks with a
/// list of packages, by the ending `.lock` or `.toml` of `file`; everything else is read as a
/// requirements file, of which each `NAME==VERSION`, wheel and sdist counts. Kind `config`, naming
/// `file`, if a TOML lock cannot be read or has no packages.
Result<LockVersions> parse_lock_versions(std::string_view text, const std::string& file);

}  // namespace pinwheel::publish
