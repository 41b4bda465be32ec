#include "host/machine/fixed_path.h"

#include <filesystem>
#include <fstream>

#include "host/system/process.h"
#include "unit/catch.h"
#include "unit/host/scratch.h"

using namespace pinwheel;
using namespace pinwheel::host;
namespace fs = std::filesystem;

namespace {

ports::Command in_space(const BuildSpace& space, std::vector<std::string> argv) {
  return {std::move(argv), space.seen("src"), {{"PATH", "/usr/sbin:/usr/bin:/sbin:/bin"}}, {}};
}

}  // namespace

TEST_CASE("paths below a mount belong to the mounted directory") {
  const BuildSpace fixed("/scratch", PathMode::fixed, {{"/cache/env", "env"}});
  CHECK(fixed.seen("src/a") == fs::path(kFixedPath) / "src/a");
  CHECK(fixed.real("src/a") == "/scratch/src/a");
  CHECK(fixed.real("env/bin/python") == "/cache/env/bin/python");
  CHECK(fixed.real("env") == "/cache/env");
  CHECK(fixed.real("environment") == "/scratch/environment");
  const BuildSpace real("/scratch", PathMode::real, {{"/cache/env", "env"}});
  CHECK(real.seen("env/bin") == "/cache/env/bin");
  CHECK(real.wrap(in_space(real, {"true"})).argv == std::vector<std::string>{"true"});
}

TEST_CASE(
    "a command in mode fixed runs at the fixed path, and its files are in the scratch directory") {
  const Scratch scratch;
  ChildProcesses process;
  const PathMode mode = probe_path_mode(process, scratch.path());
  const BuildSpace space(scratch.path(), mode, {{scratch.path() / "other", "env"}});
  fs::create_directories(scratch.path() / "src");
  fs::create_directories(scratch.path() / "env");
  fs::create_directories(scratch.path() / "other");
  std::ofstream(scratch.path() / "other" / "file") << "mounted\n";
  const std::string env_file = space.seen("env/file").string();
  const Result<ports::Captured> ran = process.capture(
      space.wrap(in_space(space, {"sh", "-c", "pwd; cat \"$0\"; pwd > here", env_file})));
  REQUIRE(ran);
  INFO(ran->err);
  REQUIRE(ran->exit.ok());
  CHECK(ran->out == space.seen("src").string() + "\nmounted\n");
  CHECK(fs::exists(scratch.path() / "src" / "here"));
  CHECK_FALSE(fs::exists(fs::path(kFixedPath) / "src"));
}

TEST_CASE("a build does not see what is covered, and its PATH may have programs of any name") {
  const Scratch scratch;
  ChildProcesses process;
  const fs::path place = scratch.path() / "place";
  fs::create_directories(place / "sub");
  fs::create_directories(scratch.path() / "build/src");
  fs::create_directories(scratch.path() / "build/copy/sub");
  fs::create_directories(scratch.path() / "bin");
  std::ofstream(place / "sub" / "file") << "seen\n";
  std::ofstream(place / "hidden") << "not seen\n";
  for (const char* const name : {"unshare", "mount", "sh"}) {
    std::ofstream(scratch.path() / "bin" / name) << "#!/nosuch\n";
    fs::permissions(scratch.path() / "bin" / name, fs::perms::owner_all);
  }
  BuildSpace space(scratch.path() / "build", PathMode::fixed, {});
  if (probe_path_mode(process, scratch.path()) != PathMode::fixed) return;
  const fs::path copy = space.real("copy");
  space.cover({{place / "sub", copy / "sub"}, {copy, place}});
  ports::Command command =
      in_space(space, {"/bin/sh", "-c", "ls \"$0\"; cat \"$0/sub/file\"", place});
  command.environment["PATH"] =
      (scratch.path() / "bin").string() + ":" + command.environment["PATH"];
  const Result<ports::Captured> ran = process.capture(space.wrap(std::move(command)));
  REQUIRE(ran);
  INFO(ran->err);
  CHECK(ran->out == "sub\nseen\n");
  CHECK(fs::exists(place / "hidden"));
}

TEST_CASE("the exit code of a wrapped command is the command's own") {
  const Scratch scratch;
  ChildProcesses process;
  fs::create_directories(scratch.path() / "src");
  const BuildSpace space(scratch.path(), probe_path_mode(process, scratch.path()), {});
  const Result<ports::Captured> ran =
      process.capture(space.wrap(in_space(space, {"sh", "-c", "exit 7"})));
  REQUIRE(ran);
  CHECK(ran->exit.code == 7);
}
