#include "host/git/git_handle.h"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

namespace pinwheel::host {
namespace {

/// The nearest directory at or above `directory` that contains `.git`; empty if there is none.
std::filesystem::path top_of(const std::filesystem::path& directory) {
  std::error_code ignored;
  std::filesystem::path at = std::filesystem::weakly_canonical(directory, ignored);
  while (!std::filesystem::exists(at / ".git", ignored)) {
    if (!at.has_relative_path()) return {};
    at = at.parent_path();
  }
  return at;
}

bool is_of_another_user(const std::filesystem::path& path) {
  struct stat status {};
  return !path.empty() && ::stat(path.c_str(), &status) == 0 && status.st_uid != ::geteuid();
}

}  // namespace

tl::unexpected<Error> git_failure(const GitLibrary& git, const std::string& what) {
  const git_error* last = git.error_last();
  const std::string reason = last != nullptr ? last->message : "unknown error";
  return fail(ErrorKind::environment, what + ": " + reason, "see `git fsck` and `git status`");
}

Result<GitRepository> open_repository(const GitLibrary& git,
                                      const std::filesystem::path& directory) {
  git_repository* opened = nullptr;
  const int code = git.repository_open_ext(&opened, directory.c_str(), 0, nullptr);
  if (code == 0) return GitRepository(opened, git.repository_free);
  const std::string name = directory.string();
  const std::filesystem::path top = top_of(directory);
  // libgit2 1.5 reports "not found" for another user's repository if no safe.directory is
  // configured.
  if (code == GIT_EOWNER || (code == GIT_ENOTFOUND && is_of_another_user(top))) {
    return fail(
        ErrorKind::environment,
        fmt::format("repository {} is owned by another user", quoted(top.string())),
        fmt::format("run {}", quoted(fmt::format("git config --global --add safe.directory {}",
                                                 shell_quote(top.string())))));
  }
  if (code == GIT_ENOTFOUND) {
    return fail(ErrorKind::environment, fmt::format("{} is not in a git repository", quoted(name)),
                "run `git init` and commit, or clone the project with git");
  }
  return git_failure(git, fmt::format("repository of {} cannot be opened", quoted(name)));
}

Result<GitCommit> head_commit(const GitLibrary& git, git_repository* repository) {
  git_reference* found = nullptr;
  const int code = git.repository_head(&found, repository);
  const GitReference head(found, git.reference_free);
  if (code == GIT_EUNBORNBRANCH || code == GIT_ENOTFOUND) {
    const char* root = git.repository_workdir(repository);
    return fail(ErrorKind::environment,
                fmt::format("repository {} has no commit",
                            quoted(root != nullptr ? root : git.repository_path(repository))),
                "run `git add` and `git commit` first");
  }
  git_object* peeled = nullptr;
  if (code != 0 || git.reference_peel(&peeled, head.get(), GIT_OBJECT_COMMIT) != 0) {
    return git_failure(git, "HEAD cannot be read");
  }
  // The peeled object has the requested type, which libgit2 derives from git_object.
  return GitCommit(reinterpret_cast<git_commit*>(peeled), git.commit_free);
}

}  // namespace pinwheel::host
