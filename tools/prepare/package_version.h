#pragma once
#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "matrix/matrix.h"
#include "ports/files.h"
#include "ports/git.h"
#include "ports/http.h"
#include "prepare/host.h"
#include "version/derive.h"

namespace pinwheel::prepare {

/// The inputs for the version of a package.
struct VersionSources {
  const Host& host;
  ports::Http* http = nullptr;           ///< for calendar versions; may be null if not needed
  const ports::GitFacts* git = nullptr;  ///< null outside a repository
  std::filesystem::path directory;       ///< of the package
  std::chrono::system_clock::time_point date;
};

/// The version by the package's rules: git tags, the calendar, a file, its pyproject.toml, or the
/// pinned requirement of a third-party sdist. Errors of kind `config` or `environment`, with a
/// hint.
Result<version::Derived> package_version(const matrix::Package& package, version::Channel channel,
                                         const VersionSources& sources);

/// The version rules of a matrix's package, in the form used by version/.
version::Rules rules_of(const matrix::VersionSettings& settings);

}  // namespace pinwheel::prepare
