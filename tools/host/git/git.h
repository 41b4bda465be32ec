#pragma once
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "host/git/git_handle.h"
#include "host/git/git_library.h"
#include "ports/git.h"

namespace pinwheel::host {

/// Git repositories through libgit2, which is loaded on first use and stays initialized as long as
/// this object lives. The first initialization reads the user's git configuration and may read all
/// CA certificates of the system (`GitSession`), which is half of the work of a release with
/// nothing to do: let one object live as long as the process; others are then cheap. Worktrees,
/// submodules and `.git` files are supported. Errors (no repository, no commit, a repository owned
/// by another user) are of kind `environment`; the hint is the git command that fixes them.
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

 private:
  Result<const GitLibrary*> library();

  std::once_flag used_;
  std::optional<GitSession> session_;
};

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

/// The difference of two texts as a unified diff of one file, made by libgit2; empty if they are
/// equal. `environment` if libgit2 is missing.
Result<std::string> text_difference(const std::string& before, const std::string& after,
                                    const std::string& path);

}  // namespace pinwheel::host
