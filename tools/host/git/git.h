#pragma once
#include "ports/git.h"

namespace pinwheel::host {

/// Git repositories through libgit2, which is loaded on first use. Worktrees, submodules and `.git`
/// files are supported. Errors (no repository, no commit, a repository owned by another user) are
/// of kind `environment`; the hint is the git command that fixes them.
class LibGit2 final : public ports::Git {
 public:
  using Git::facts;
  using Git::files;
  Result<ports::GitFacts> facts(const std::filesystem::path& directory,
                                ports::WorkTree work_tree) override;
  Result<ports::GitFiles> files(const std::filesystem::path& directory,
                                const std::vector<std::filesystem::path>& made) override;
  Result<ports::GitChange> last_change(
      const std::filesystem::path& directory,
      const std::function<bool(std::string_view name)>& counts) override;
};

}  // namespace pinwheel::host
