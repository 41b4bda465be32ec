#pragma once
// Private to host/git.
#include <string>
#include <vector>

#include "base/result.h"
#include "host/git/git_library.h"
#include "ports/git.h"

namespace pinwheel::host {

/// The result of one walk over the history of HEAD.
struct GitHistory {
  std::vector<ports::GitTag> tags;  ///< reachable from HEAD, with the distance as in `git describe`
  std::vector<std::string> all_tags;  ///< all tags of the repository, annotated and lightweight
  int commit_count = 0;               ///< reachable from HEAD
};

Result<GitHistory> read_history(const GitLibrary& git, git_repository* repository,
                                const git_oid& head);

}  // namespace pinwheel::host
