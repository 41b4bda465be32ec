#include "host/git/git.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <string>

#include "base/text.h"
#include "unit/catch.h"
#include "unit/command_output.h"
#include "unit/host/scratch.h"

/// libgit2 1.5 leaks pcre2's match data when it reads the configuration of submodules.
// NOLINTNEXTLINE(bugprone-reserved-identifier): the leak sanitizer prescribes the name
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() {  // NOLINT(bugprone-reserved-identifier)
  return "leak:libpcre2-8.so";
}

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

/// A repository made by the `git` program, untouched by the user's configuration.
class Repository {
 public:
  explicit Repository(const fs::path& path) : path_(path) {
    fs::create_directories(path);
    git("init -q -b main");
  }

  const fs::path& path() const { return path_; }
  std::string git(const std::string& arguments, const std::string& date = "") const {
    const std::string identity =
        "-c user.name=tester -c user.email=tester@example.org -c commit.gpgsign=false "
        "-c protocol.file.allow=always ";
    return std::string(trim(
        output_of((date.empty() ? "" : "GIT_COMMITTER_DATE=" + shell_quote(date) + " ") +
                  "git -C " + shell_quote(path_.string()) + " " + identity + arguments + " 2>&1")));
  }
  /// Commits are a minute apart: `git describe` miscounts those of one second.
  void commit(const std::string& message) {
    const std::string date = std::to_string(1700000000 + 60 * commits_++) + " +0000";
    git("commit -q --allow-empty -m " + shell_quote(message) + " --date=" + shell_quote(date),
        date);
  }

 private:
  fs::path path_;
  int commits_ = 0;
};

/// "v1.0:4 v1.1:2", by name.
std::string distances(const ports::GitFacts& facts) {
  std::vector<std::string> result;
  for (const ports::GitTag& tag : facts.tags) {
    result.push_back(tag.name + ":" + std::to_string(tag.distance));
  }
  std::sort(result.begin(), result.end());
  return join(result, " ");
}

std::string describe_distance(const Repository& repository, const std::string& tag) {
  const std::string text =
      repository.git("describe --tags --long --match " + shell_quote(tag) + " HEAD");
  const std::vector<std::string> parts = split(text, '-');
  REQUIRE(parts.size() >= 3);
  return tag + ":" + parts[parts.size() - 2];
}

TEST_CASE("tags have the distance that git describe counts, merges included") {
  const Scratch scratch;
  Repository repository(scratch.path() / "repository");
  repository.commit("one");
  repository.git("tag v1.0");
  repository.commit("two");
  repository.git("checkout -q -b side");
  repository.commit("side one");
  repository.git("tag -a v1.1 -m annotated");
  repository.commit("side two");
  repository.git("checkout -q main");
  repository.commit("three");
  repository.git("merge -q --no-ff -m merge side", "1700000290 +0000");
  repository.commit("four");
  repository.git("tag v1.2");
  repository.git("checkout -q --orphan elsewhere");
  repository.commit("unrelated");
  repository.git("tag v9.9");
  repository.git("checkout -q main");

  LibGit2 git;
  const Result<ports::GitFacts> facts = git.facts(repository.path());
  REQUIRE(facts);
  std::vector<std::string> expected;
  for (const std::string tag : {"v1.0", "v1.1", "v1.2"}) {
    expected.push_back(describe_distance(repository, tag));
  }
  CHECK(distances(*facts) == join(expected, " "));
  CHECK(facts->all_tags.size() == 4);
  CHECK(std::to_string(facts->commit_count) == repository.git("rev-list --count HEAD"));
  CHECK(facts->commit == repository.git("rev-parse HEAD"));
  CHECK(facts->branch == "main");
  CHECK(std::to_string(std::chrono::system_clock::to_time_t(facts->date)) ==
        repository.git("log -1 --format=%ct"));
  CHECK(fs::canonical(facts->root) == fs::canonical(repository.path()));
  CHECK_FALSE(facts->shallow);
}

TEST_CASE("only tracked files make a tree dirty") {
  const Scratch scratch;
  Repository repository(scratch.path());
  scratch.write("a.txt", "a");
  repository.git("add a.txt");
  repository.commit("one");
  LibGit2 git;
  scratch.write("untracked.txt", "u");
  CHECK_FALSE(git.facts(scratch.path())->dirty);
  scratch.write("a.txt", "changed");
  CHECK(git.facts(scratch.path())->dirty);
  CHECK_FALSE(git.facts(scratch.path(), ports::WorkTree::ignore)->dirty);
  repository.git("add a.txt");
  CHECK(git.facts(scratch.path())->dirty);
  repository.commit("two");
  CHECK_FALSE(git.facts(scratch.path())->dirty);
  repository.git("rm -q --cached a.txt");
  CHECK(git.facts(scratch.path())->dirty);
}

TEST_CASE("a checkout is read without writing to its index, which may be locked") {
  const Scratch scratch;
  Repository repository(scratch.path());
  scratch.write("a.txt", "a");
  repository.git("add a.txt");
  repository.commit("one");
  // Only its times differ from what the index says.
  const fs::path file = scratch.path() / "a.txt";
  fs::last_write_time(file, fs::last_write_time(file) - std::chrono::hours(1));
  scratch.write(".git/index.lock", "");
  const std::string index = scratch.read(".git/index");
  LibGit2 git;
  const Result<ports::GitFacts> facts = git.facts(scratch.path());
  INFO((facts ? std::string() : render(facts.error())));
  REQUIRE(facts);
  CHECK_FALSE(facts->dirty);
  REQUIRE(git.files(scratch.path()));
  scratch.write("a.txt", "changed");
  CHECK(git.facts(scratch.path())->dirty);
  CHECK(scratch.read(".git/index") == index);
}

TEST_CASE("the files are those of git ls-files, tracked or not ignored") {
  const Scratch scratch;
  Repository repository(scratch.path());
  scratch.write(".gitignore", "*.o\nbuild/\n");
  scratch.write("z.txt", "");
  scratch.write("sub/b.txt", "");
  scratch.write("sub [1]/odd name.txt", "");
  scratch.write("kept.o", "");
  repository.git("add -f .gitignore z.txt sub kept.o");
  repository.commit("one");
  scratch.write("sub/new/deep.txt", "");
  scratch.write("sub/new/ignored.o", "");
  scratch.write("build/out.txt", "");
  LibGit2 git;
  const std::string list = "ls-files --cached --others --exclude-standard -z";
  for (const std::string below : {"", "sub", "sub [1]"}) {
    const std::string text =
        output_of("git -C " + shell_quote((scratch.path() / below).string()) + " " + list);
    std::vector<std::string> expected = split(text, '\0');
    expected.pop_back();
    std::sort(expected.begin(), expected.end());
    INFO(below);
    REQUIRE_FALSE(expected.empty());
    const Result<ports::GitFiles> files = git.files(scratch.path() / below);
    REQUIRE(files);
    std::vector<std::string> all = files->tracked;
    all.insert(all.end(), files->untracked.begin(), files->untracked.end());
    std::sort(all.begin(), all.end());
    CHECK(all == expected);
  }
}

TEST_CASE("the files of a submodule are listed below it if it is checked out") {
  const Scratch scratch;
  Repository inner(scratch.path() / "inner");
  scratch.write("inner/deep/a.h", "");
  inner.git("add deep");
  inner.commit("one");
  Repository outer(scratch.path() / "outer");
  scratch.write("outer/package/b.py", "");
  outer.git("add package");
  outer.git("submodule add -q " + shell_quote(inner.path().string()) + " package/module");
  outer.commit("one");
  scratch.write("outer/package/module/new.h", "");

  LibGit2 git;
  using Names = std::vector<std::string>;
  const Result<ports::GitFiles> whole = git.files(outer.path() / "package");
  REQUIRE(whole);
  CHECK(whole->tracked == Names{"b.py", "module/deep/a.h"});
  CHECK(whole->untracked == Names{"module/new.h"});
  const Result<ports::GitFiles> part = git.files(outer.path() / "package/module");
  REQUIRE(part);
  CHECK(part->tracked == Names{"deep/a.h"});
  CHECK(part->untracked == Names{"new.h"});

  outer.git("clone -q . ../clone");
  const Result<ports::GitFiles> cloned = git.files(scratch.path() / "clone/package");
  REQUIRE(cloned);
  CHECK(cloned->tracked == Names{"b.py"});
  CHECK(cloned->untracked.empty());
}

TEST_CASE("a detached HEAD has no branch") {
  const Scratch scratch;
  Repository repository(scratch.path());
  repository.commit("one");
  repository.git("checkout -q --detach");
  LibGit2 git;
  CHECK(git.facts(scratch.path())->branch.empty());
}

TEST_CASE("worktrees and submodules are repositories too") {
  const Scratch scratch;
  Repository inner(scratch.path() / "inner");
  inner.commit("one");
  inner.git("tag v3.0");
  Repository outer(scratch.path() / "outer");
  outer.git("submodule add -q " + shell_quote(inner.path().string()) + " module");
  outer.commit("one");
  outer.git("tag v1.0");
  outer.git("worktree add -q ../tree");
  LibGit2 git;
  CHECK(distances(*git.facts(outer.path())) == "v1.0:0");
  CHECK(distances(*git.facts(scratch.path() / "tree")) == "v1.0:0");
  CHECK(git.facts(scratch.path() / "tree")->branch == "tree");
  CHECK(distances(*git.facts(outer.path() / "module")) == "v3.0:0");
}

/// Writes a file, and commits it. Returns the commit.
std::string commit_file(Repository& repository, const std::string& name, const std::string& text) {
  const fs::path path = repository.path() / name;
  fs::create_directories(path.parent_path());
  std::ofstream(path) << text;
  repository.git("add -A");
  repository.commit(name);
  return repository.git("rev-parse HEAD");
}

std::string changed_last(const fs::path& directory) {
  LibGit2 git;
  const auto code = [](std::string_view name) { return !name.ends_with(".md"); };
  const Result<ports::GitChange> change = git.last_change(directory, code);
  REQUIRE(change);
  return change->commit;
}

TEST_CASE("the last change is that of the files that count, as git log finds it") {
  const Scratch scratch;
  Repository repository(scratch.path() / "repository");
  commit_file(repository, "README.md", "one");
  const std::string first = commit_file(repository, "package/a.py", "one");
  commit_file(repository, "README.md", "two");
  commit_file(repository, "package/notes.md", "two");
  CHECK(changed_last(repository.path()) == first);
  const std::string other = commit_file(repository, "other/b.py", "one");
  CHECK(changed_last(repository.path()) == other);
  CHECK(changed_last(repository.path() / "package") == first);

  SECTION("of its time") {
    LibGit2 git;
    const auto all = [](std::string_view) { return true; };
    const Result<ports::GitChange> change = git.last_change(repository.path() / "other", all);
    REQUIRE(change);
    CHECK(std::to_string(change->date.time_since_epoch() / std::chrono::seconds(1)) ==
          repository.git("log -1 --format=%ct -- other"));
  }
  SECTION("a merge changes nothing that one of its parents has") {
    repository.git("checkout -q -b side HEAD~1");
    const std::string side = commit_file(repository, "package/a.py", "two");
    repository.git("checkout -q main");
    repository.git("merge -q --no-ff -m merged side");
    CHECK(changed_last(repository.path() / "package") == side);
    CHECK(changed_last(repository.path() / "other") == other);
    // Neither parent has both changes.
    CHECK(changed_last(repository.path()) == repository.git("rev-parse HEAD"));
    for (const std::string name : {"package", "other"}) {
      CHECK(changed_last(repository.path() / name) ==
            repository.git("log -1 --format=%H -- " + name + " ':!*.md'"));
    }
  }
  SECTION("a file that is gone has changed") {
    repository.git("rm -q package/a.py");
    repository.commit("gone");
    CHECK(changed_last(repository.path()) == repository.git("rev-parse HEAD"));
  }
  SECTION("the oldest commit of a shallow clone changes everything") {
    commit_file(repository, "README.md", "three");
    const fs::path clone = scratch.path() / "clone";
    output_of("git clone -q --depth 1 file://" + shell_quote(repository.path().string()) + " " +
              shell_quote(clone.string()));
    CHECK(changed_last(clone) == repository.git("rev-parse HEAD"));
    CHECK(changed_last(repository.path()) == other);
  }
  SECTION("a directory without files in a commit has changed with it") {
    fs::create_directories(repository.path() / "empty");
    CHECK(changed_last(repository.path() / "empty") == repository.git("rev-parse HEAD"));
  }
}

TEST_CASE("a shallow clone is recognized") {
  const Scratch scratch;
  Repository origin(scratch.path() / "origin");
  origin.commit("one");
  origin.git("tag v1.0");
  origin.commit("two");
  output_of("git clone -q --depth 1 --no-tags file://" +
            shell_quote((scratch.path() / "origin").string()) + " " +
            shell_quote((scratch.path() / "clone").string()));
  LibGit2 git;
  const Result<ports::GitFacts> facts = git.facts(scratch.path() / "clone");
  REQUIRE(facts);
  CHECK(facts->shallow);
  CHECK(facts->origin == "file://" + (scratch.path() / "origin").string());
  CHECK(git.facts(scratch.path() / "origin")->origin.empty());
  CHECK(facts->tags.empty());
  CHECK(facts->commit_count == 1);
}

TEST_CASE("the error for another user's repository has the command to trust it") {
  const Scratch scratch;
  Repository repository(scratch.path() / "theirs");
  repository.commit("one");
  const std::string path = fs::canonical(repository.path()).string();
  // Only root can change owners; for other users this checks that an own repository is trusted.
  if (geteuid() != 0) {
    CHECK(LibGit2().facts(path));
    return;
  }
  output_of("chown -R 12345:12345 " + shell_quote(path));
  const Result<ports::GitFacts> facts = LibGit2().facts(path);
  REQUIRE_FALSE(facts);
  CHECK(facts.error().kind == ErrorKind::environment);
  CHECK(facts.error().message == "repository `" + path + "` is owned by another user");
  CHECK(facts.error().hint == "run `git config --global --add safe.directory " + path + "`");

  const std::string home = getenv("HOME") == nullptr ? "" : getenv("HOME");
  setenv("HOME", scratch.path().c_str(), 1);
  output_of(split(facts.error().hint, '`')[1]);
  CHECK(LibGit2().facts(path));
  setenv("HOME", home.c_str(), 1);
}

TEST_CASE("a directory without a repository and one without a commit have different errors") {
  const Scratch scratch;
  LibGit2 git;
  const Result<ports::GitFacts> none = git.facts(scratch.path());
  REQUIRE_FALSE(none);
  CHECK(none.error().kind == ErrorKind::environment);
  CHECK(none.error().hint.find("git init") != std::string::npos);
  Repository repository(scratch.path());
  const Result<ports::GitFacts> empty = git.facts(scratch.path());
  REQUIRE_FALSE(empty);
  CHECK(empty.error().kind == ErrorKind::environment);
  CHECK(empty.error().hint.find("git commit") != std::string::npos);
}

}  // namespace
}  // namespace pinwheel::host
