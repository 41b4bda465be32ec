#include "host/git/worktree.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/text.h"
#include "env/pass_list.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

constexpr size_t kCommitDigits = 40;

/// A hook, a monitor of the file system or a variable of the caller must not redirect git.
ports::Command command(const GitProgram& git, const fs::path& directory,
                       const std::vector<std::string>& arguments) {
  ports::Command out{{"git", "-C", directory.string(), "-c", "core.hooksPath=/dev/null", "-c",
                      "core.fsmonitor=false"},
                     "/",
                     env::variables_for(env::Helper::git, git.variables),
                     {}};
  out.argv.insert(out.argv.end(), arguments.begin(), arguments.end());
  for (const char* const name : {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"}) {
    out.environment.erase(name);
  }
  return out;
}

Result<ports::Captured> run(const GitProgram& git, const fs::path& directory,
                            const std::vector<std::string>& arguments) {
  Result<ports::Captured> ran = git.process.capture(command(git, directory, arguments));
  if (!ran) return fail(std::move(ran).error().with_hint("install git"));
  if (ran->exit.canceled) return fail(ErrorKind::interrupted, "git was interrupted");
  return ran;
}

Done must(const GitProgram& git, const fs::path& directory,
          const std::vector<std::string>& arguments) {
  TRY(const ports::Captured ran, run(git, directory, arguments));
  if (ran.exit.ok()) return {};
  return fail(ErrorKind::environment,
              fmt::format("{} failed: {}", quoted(fmt::format("git {}", join(arguments, " "))),
                          trim(ran.err)));
}

Done check_commit(const GitProgram& git, const fs::path& repository, const std::string& commit) {
  if (commit.size() != kCommitDigits || !is_hex(commit)) {
    return fail(ErrorKind::config, fmt::format("{} is not a commit id", quoted(commit)));
  }
  TRY(const ports::Captured ran, run(git, repository, {"cat-file", "-e", commit + "^{commit}"}));
  if (ran.exit.ok()) return {};
  return fail(ErrorKind::config,
              fmt::format("{} has no commit {}", quoted(repository.string()), quoted(commit)),
              fmt::format("fetch it: {}", quoted(fmt::format("git fetch origin {}", commit))));
}

/// Adds the settings that disable a program that a setting of the repository would run.
void turn_off(const std::string& key, const std::string& value, std::vector<std::string>& options) {
  const auto add = [&options](const std::string& setting) {
    options.insert(options.end(), {"-c", setting});
  };
  if (!key.starts_with("filter.")) {
    if (value.starts_with('!')) add(key + "=checkout");
    return;
  }
  const std::string filter = key.substr(0, key.rfind('.'));
  for (const char* const setting : {".process=", ".smudge=", ".clean=", ".required=false"}) {
    add(filter + setting);
  }
}

/// Options that disable the filters and submodule commands in the repository's own configuration.
/// It may come from another person, unlike that of the user, such as the filter of Git LFS.
Result<std::vector<std::string>> without_programs(const GitProgram& git,
                                                  const fs::path& repository) {
  std::vector<std::string> options;
  TRY(const ports::Captured ran,
      run(git, repository,
          {"config", "--local", "--includes", "-z", "--get-regexp",
           R"(^(filter\..*\.(process|smudge|clean)|submodule\..*\.update)$)"}));
  if (!ran.exit.ok()) return options;  // there are none
  for (const std::string& entry : split(ran.out, '\0')) {
    const size_t end = std::min(entry.find('\n'), entry.size());
    if (!entry.empty())
      turn_off(entry.substr(0, end), entry.substr(std::min(end + 1, entry.size())), options);
  }
  return options;
}

std::vector<std::string> with(std::vector<std::string> options,
                              const std::vector<std::string>& arguments) {
  options.insert(options.end(), arguments.begin(), arguments.end());
  return options;
}

void remove(const GitProgram& git, const fs::path& repository, const fs::path& path) {
  // A failure here leaves only scratch files, which the next worktree replaces.
  static_cast<void>(run(git, repository, {"worktree", "remove", "--force", path.string()}));
  static_cast<void>(git.files.remove_all(path));
  static_cast<void>(run(git, repository, {"worktree", "prune"}));
}

}  // namespace

Result<std::string> commit_of(const GitProgram& git, const fs::path& repository,
                              const std::string& revision) {
  TRY(const ports::Captured ran,
      run(git, repository,
          {"rev-parse", "--verify", "--quiet", "--end-of-options", revision + "^{commit}"}));
  std::string commit(trim(ran.out));
  if (ran.exit.ok() && commit.size() == kCommitDigits && is_hex(commit)) return commit;
  return fail(ErrorKind::usage,
              fmt::format("{} has no commit {}", quoted(repository.string()), quoted(revision)),
              fmt::format("fetch it: {}", quoted("git fetch origin " + shell_quote(revision))));
}

Worktree::Worktree(const GitProgram& git, fs::path repository, fs::path path)
    : git_(git), repository_(std::move(repository)), path_(std::move(path)) {}

Worktree::Worktree(Worktree&& other) noexcept
    : git_(other.git_),
      repository_(std::move(other.repository_)),
      path_(std::exchange(other.path_, fs::path())) {}

Worktree::~Worktree() {
  if (!path_.empty()) remove(git_, repository_, path_);
}

Result<Worktree> Worktree::add(const GitProgram& git, const fs::path& repository,
                               const std::string& commit, const fs::path& path) {
  TRY_DONE(check_commit(git, repository, commit));
  TRY_DONE(git.files.remove_all(path));
  TRY_DONE(git.files.make_directories(path.parent_path()));
  TRY(const std::vector<std::string> options, without_programs(git, repository));
  TRY_DONE(must(
      git, repository,
      with(options, {"worktree", "add", "--quiet", "--force", "--detach", path.string(), commit})));
  Worktree made(git, repository, path);
  TRY(const ports::FileStatus modules, git.files.status(path / ".gitmodules"));
  if (modules.type != ports::FileType::missing) {
    TRY_DONE(must(git, path,
                  with(options, {"submodule", "--quiet", "update", "--init", "--recursive"})));
  }
  return made;
}

}  // namespace pinwheel::host
