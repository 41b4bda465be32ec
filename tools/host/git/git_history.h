#pragma once
// Private to host/git.
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "host/git/git_handle.h"
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

/// Files of a repository.
struct FilesOfInterest {
  std::string directory;  ///< relative to the top with a slash at the end; "" for the top
  std::function<bool(std::string_view name)> counts;  ///< by the name relative to `directory`
};

/// `Git::last_change`, starting at `head`.
GitCommit last_commit_that_changed(const GitLibrary& git, GitCommit head,
                                   const FilesOfInterest& files);

}  // namespace pinwheel::host
