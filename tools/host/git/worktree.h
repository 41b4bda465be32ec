#pragma once
#include <filesystem>
#include <map>
#include <string>

#include "base/result.h"
#include "ports/files.h"
#include "ports/process.h"

namespace pinwheel::host {

/// The ports and variables to run git with.
struct GitProgram {
  ports::Files& files;
  ports::Process& process;
  const std::map<std::string, std::string>& variables;  ///< the user's environment
};

/// The commit that a revision names, 40 digits: a branch, a tag, `HEAD~2`. `usage`, with the
/// command that fetches it, if the repository does not have it; `environment` if git is not
/// installed.
Result<std::string> commit_of(const GitProgram& git, const std::filesystem::path& repository,
                              const std::string& revision);

/// A commit of a repository, checked out in a separate directory by `git worktree`, with its
/// submodules and without running hooks or any other program that the repository's configuration
/// names: `core.fsmonitor`, filters, commands of submodules. The repository's own checkout and
/// branches do not change. Removed in the destructor.
class Worktree {
 public:
  /// Replaces anything at `path`. `config`, with the command that fetches it, for a commit that the
  /// repository does not have; `environment` if git is not installed.
  static Result<Worktree> add(const GitProgram& git, const std::filesystem::path& repository,
                              const std::string& commit, const std::filesystem::path& path);
  ~Worktree();
  Worktree(Worktree&& other) noexcept;
  Worktree& operator=(Worktree&&) = delete;
  Worktree(const Worktree&) = delete;
  Worktree& operator=(const Worktree&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  Worktree(const GitProgram& git, std::filesystem::path repository, std::filesystem::path path);

  GitProgram git_;
  std::filesystem::path repository_;
  std::filesystem::path path_;
};

}  // namespace pinwheel::host
