#pragma once
#include "ports/git.h"

namespace pinwheel::host {

/// Git repositories through libgit2, which stays initialised as long as the object lives.
/// Worktrees, submodules and bare `.git` files work. Errors are of kind `environment`; the hint is
/// the git command that mends them: no repository, no commit, a repository of another user.
class LibGit2 final : public ports::Git {
 public:
  LibGit2();
  ~LibGit2() override;
  LibGit2(const LibGit2&) = delete;
  LibGit2& operator=(const LibGit2&) = delete;

  using Git::facts;
  Result<ports::GitFacts> facts(const std::filesystem::path& directory,
                                ports::WorkTree work_tree) override;
  Result<std::vector<std::string>> files(const std::filesystem::path& directory) override;
};

}  // namespace pinwheel::host
