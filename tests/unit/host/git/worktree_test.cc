#include "host/git/worktree.h"

#include <cstdlib>

#include "base/text.h"
#include "host/system/files.h"
#include "host/system/process.h"
#include "unit/catch.h"
#include "unit/host/scratch.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

/// A repository with two commits of one file.
struct World {
  Scratch scratch;
  LocalFiles files;
  ChildProcesses process;
  std::map<std::string, std::string> variables = {
      {"PATH", std::getenv("PATH")},           {"HOME", scratch.path().string()},
      {"GIT_CONFIG_GLOBAL", "/dev/null"},      {"GIT_AUTHOR_NAME", "t"},
      {"GIT_AUTHOR_EMAIL", "t@example.org"},   {"GIT_COMMITTER_NAME", "t"},
      {"GIT_COMMITTER_EMAIL", "t@example.org"}};
  fs::path repository = scratch.path() / "repository";
  GitProgram git{files, process, variables};

  World() {
    fs::create_directories(repository);
    run({"init", "-q", "-b", "main"});
    commit("one");
    commit("two");
  }
  std::string run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"git", "-C", repository.string()});
    const Result<ports::Captured> ran = process.capture({arguments, "/", variables, {}});
    REQUIRE(ran);
    INFO(ran->err);
    REQUIRE(ran->exit.ok());
    return std::string(trim(ran->out));
  }
  void commit(const std::string& text) {
    scratch.write("repository/file", text);
    run({"add", "-A"});
    run({"commit", "-q", "-m", text});
  }
};

TEST_CASE("an earlier commit is checked out beside the repository and removed afterwards") {
  World world;
  const std::string first = world.run({"rev-parse", "HEAD~1"});
  const std::string head = world.run({"rev-parse", "HEAD"});
  const fs::path at = world.scratch.path() / "state" / "checkout";
  {
    const Result<Worktree> made = Worktree::add(world.git, world.repository, first, at);
    REQUIRE(made);
    CHECK(world.scratch.read("state/checkout/file") == "one");
    CHECK(world.scratch.read("repository/file") == "two");
  }
  CHECK_FALSE(fs::exists(at));
  CHECK(world.run({"rev-parse", "HEAD"}) == head);
  CHECK(split(world.run({"worktree", "list"}), '\n').size() == 1);
  CHECK(world.run({"branch", "--list"}) == "* main");
}

TEST_CASE("the remains of a killed run are replaced, and hooks do not run") {
  World world;
  const std::string head = world.run({"rev-parse", "HEAD"});
  const fs::path at = world.scratch.path() / "checkout";
  world.run({"worktree", "add", "-q", "--detach", at.string(), head});
  world.scratch.write("checkout/left", "");
  const fs::path hook =
      world.scratch.write("repository/.git/hooks/post-checkout", "#!/bin/sh\ntouch hook-ran\n");
  fs::permissions(hook, fs::perms::owner_all);
  const Result<Worktree> made = Worktree::add(world.git, world.repository, head, at);
  REQUIRE(made);
  CHECK_FALSE(fs::exists(at / "left"));
  CHECK_FALSE(fs::exists(at / "hook-ran"));
}

TEST_CASE("no program that the repository's configuration names is run") {
  World world;
  const std::string mark = (world.scratch.path() / "ran").string();
  world.scratch.write("repository/.gitattributes", "*.bin filter=evil\n*.dat filter=long\n");
  world.scratch.write("repository/a.bin", "contents");
  world.scratch.write("repository/a.dat", "contents");
  world.commit("three");
  const std::string head = world.run({"rev-parse", "HEAD"});
  const std::string program = "touch " + mark + "; cat";
  world.run({"config", "core.fsmonitor", program});
  for (const char* const setting : {"smudge", "clean"}) {
    world.run({"config", std::string("filter.evil.") + setting, program});
  }
  world.run({"config", "filter.evil.required", "true"});
  world.run({"config", "filter.long.process", program});
  {
    const Result<Worktree> made =
        Worktree::add(world.git, world.repository, head, world.scratch.path() / "checkout");
    REQUIRE(made);
    CHECK(world.scratch.read("checkout/a.bin") == "contents");
    CHECK(world.scratch.read("checkout/a.dat") == "contents");
  }
  CHECK_FALSE(fs::exists(mark));
}

TEST_CASE("the error for a missing commit has the command to fetch it") {
  World world;
  const std::string absent(40, 'a');
  const Result<Worktree> made =
      Worktree::add(world.git, world.repository, absent, world.scratch.path() / "checkout");
  REQUIRE_FALSE(made);
  CHECK(made.error().kind == ErrorKind::config);
  CHECK(made.error().hint == "fetch it: `git fetch origin " + absent + "`");
  CHECK_FALSE(fs::exists(world.scratch.path() / "checkout"));
}

TEST_CASE("a string that is not a commit id is never passed to git") {
  World world;
  for (const char* text : {"", "HEAD", "--output=x"}) {
    const Result<Worktree> made =
        Worktree::add(world.git, world.repository, text, world.scratch.path() / "checkout");
    REQUIRE_FALSE(made);
    CHECK(made.error().kind == ErrorKind::config);
  }
}

}  // namespace
}  // namespace pinwheel::host
