#include "host/git/git_handle.h"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/limits.h"
#include "base/text.h"

namespace pinwheel::host {

namespace fs = std::filesystem;

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

/// Whether libgit2 may read a file with this name: its settings, in a work tree, and all files in a
/// directory of git.
bool is_read_by_git(const fs::path& path) {
  static constexpr std::array<std::string_view, 4> kSettings = {".gitignore", ".gitattributes",
                                                                ".gitmodules", ".git"};
  const std::string name = path.filename().string();
  return std::ranges::find(kSettings, name) != kSettings.end() ||
         std::ranges::find(path, fs::path(".git")) != path.end();
}

/// There are many loose objects, and they are found by the digest of their contents.
bool holds_loose_objects(const fs::path& directory) {
  return directory.parent_path().filename() == "objects" &&
         directory.filename().string().size() == 2;
}

/// libgit2 reads settings and lists of references whole.
Done check_settings_size(const fs::directory_entry& entry) {
  const std::string name = entry.path().filename().string();
  const bool data =
      name == "index" || std::ranges::find(entry.path(), fs::path("objects")) != entry.path().end();
  std::error_code ignored;
  const uintmax_t size = data ? 0 : entry.file_size(ignored);
  Done fits = check_size(quoted(entry.path().string()), size, limits::kFile);
  if (!fits) fits.error().kind = ErrorKind::config;
  return fits;
}

/// libgit2 waits for the writer of a FIFO, and reads a device without an end.
Done check_regular(const fs::path& top) {
  std::error_code error;
  const auto options = fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator at(top, options, error), end; !error && at != end;
       at.increment(error)) {
    std::error_code ignored;
    const bool directory = at->is_directory(ignored);
    if (directory && holds_loose_objects(at->path())) at.disable_recursion_pending();
    if (directory || !is_read_by_git(at->path().lexically_relative(top))) continue;
    if (at->is_regular_file(ignored)) TRY_DONE(check_settings_size(*at));
    // A socket, such as that of git's file system monitor, cannot be opened, and a broken link
    // neither.
    const bool endless =
        at->is_fifo(ignored) || at->is_character_file(ignored) || at->is_block_file(ignored);
    if (!endless) continue;
    return fail(ErrorKind::config,
                fmt::format("{} is not a regular file", quoted(at->path().string())),
                "git cannot read it: remove it");
  }
  return {};
}

}  // namespace

tl::unexpected<Error> git_failure(const GitLibrary& git, const std::string& what) {
  const git_error* last = git.error_last();
  const std::string reason = last != nullptr ? last->message : "unknown error";
  return fail(ErrorKind::environment, what + ": " + reason, "see `git fsck` and `git status`");
}

Result<GitRepository> open_repository(const GitLibrary& git,
                                      const std::filesystem::path& directory) {
  const fs::path top = top_of(directory);
  if (!top.empty()) TRY_DONE(check_regular(top));
  git_repository* opened = nullptr;
  const int code = git.repository_open_ext(&opened, directory.c_str(), 0, nullptr);
  if (code == 0) return GitRepository(opened, git.repository_free);
  const std::string name = directory.string();
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

Result<std::string> prefix_of(const GitLibrary& git, git_repository* repository,
                              const fs::path& directory) {
  const char* top = git.repository_workdir(repository);
  if (top == nullptr) {
    return fail(ErrorKind::environment,
                fmt::format("{} is in a bare repository", quoted(directory.string())),
                "run `git worktree add`, or clone it without `--bare`");
  }
  std::error_code error;
  const fs::path real_top = fs::canonical(top, error);
  const fs::path real = fs::canonical(directory, error);
  if (error) {
    return fail(ErrorKind::environment,
                fmt::format("{} cannot be read: {}", quoted(directory.string()), error.message()));
  }
  const std::string relative = real.lexically_relative(real_top).string();
  return relative == "." ? std::string() : relative + "/";
}

}  // namespace pinwheel::host
