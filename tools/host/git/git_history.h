#pragma once
// Private to the git sources of host/.
#include <string>
#include <vector>

#include "base/result.h"
#include "host/git/git_library.h"
#include "ports/git.h"

namespace pinwheel::host {

/// What one walk over the history of HEAD tells.
struct GitHistory {
  std::vector<ports::GitTag> tags;    ///< reachable, with the distance of `git describe`
  std::vector<std::string> all_tags;  ///< of the repository, annotated and lightweight
  int commit_count = 0;               ///< reachable from HEAD
};

Result<GitHistory> read_history(const GitLibrary& git, git_repository* repository,
                                const git_oid& head);

}  // namespace pinwheel::host
