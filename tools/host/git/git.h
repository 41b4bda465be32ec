#pragma once
#include "ports/git.h"

namespace pinwheel::host {

/// Git repositories through libgit2, which is loaded when the first repository is asked about.
/// Worktrees, submodules and bare `.git` files work. Errors are of kind `environment`; the hint is
/// the git command that mends them: no repository, no commit, a repository of another user.
class LibGit2 final : public ports::Git {
 public:
  using Git::facts;
  Result<ports::GitFacts> facts(const std::filesystem::path& directory,
                                ports::WorkTree work_tree) override;
  Result<std::vector<std::string>> files(const std::filesystem::path& directory) override;
};

}  // namespace pinwheel::host
