#include "host/system/pending_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "unit/catch.h"
#include "unit/host/scratch.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

/// The id of an exited process.
pid_t nobody() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  REQUIRE(::waitpid(child, nullptr, 0) == child);
  return child;
}

std::string pending(const std::string& name, pid_t owner) {
  return "dist/." + name + "." + std::to_string(owner);
}

TEST_CASE("a pending file gets its name only when it is complete, and leaves nothing otherwise") {
  const Scratch scratch;
  scratch.write("dist/a.whl", "old");
  {
    PendingFile file(scratch.path() / "dist/a.whl");
    REQUIRE(file.write("half"));
    CHECK(scratch.read("dist/a.whl") == "old");
    CHECK(fs::exists(scratch.path() / pending("a.whl", ::getpid())));
  }
  CHECK_FALSE(fs::exists(scratch.path() / pending("a.whl", ::getpid())));
  PendingFile file(scratch.path() / "dist/a.whl");
  REQUIRE(file.write("whole"));
  REQUIRE(file.commit());
  CHECK(scratch.read("dist/a.whl") == "whole");
}

TEST_CASE("a link in the place of a pending file is not followed") {
  const Scratch scratch;
  scratch.write("victim", "precious");
  fs::create_directories(scratch.path() / "dist");
  fs::create_symlink("../victim", scratch.path() / pending("a.whl", ::getpid()));
  PendingFile file(scratch.path() / "dist/a.whl");
  REQUIRE(file.write("wheel"));
  REQUIRE(file.commit());
  CHECK(scratch.read("victim") == "precious");
  CHECK(scratch.read("dist/a.whl") == "wheel");
  CHECK_FALSE(fs::is_symlink(scratch.path() / "dist/a.whl"));
}

TEST_CASE("leftovers of killed runs are removed, and nothing else") {
  const Scratch scratch;
  const pid_t dead = nobody();
  const fs::path wheel = scratch.write(pending("demo-1.0-py3-none-any.whl", dead), "half");
  const fs::path sdist = scratch.write(pending("demo-1.0.tar.gz", dead), "half");
  const std::string number = std::to_string(dead);
  const std::vector<fs::path> remaining = {
      scratch.write("dist/demo-1.0-py3-none-any.whl", "whole"),
      scratch.write("dist/.notes." + number, "the user's"),
      scratch.write("dist/demo.whl." + number, "the user's"),
      scratch.write("dist/.demo.whl.bak", "the user's"),
      scratch.write(pending("running.whl", ::getppid()), "being written")};
  remove_leftovers(scratch.path() / "dist");
  CHECK_FALSE(fs::exists(wheel));
  CHECK_FALSE(fs::exists(sdist));
  for (const fs::path& path : remaining) CHECK(fs::exists(path));
}

TEST_CASE("a file that another container is writing is recognized by its lock") {
  const Scratch scratch;
  const fs::path path = scratch.write(pending("a.whl", nobody()), "being written");
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  REQUIRE(fd >= 0);
  REQUIRE(::flock(fd, LOCK_EX | LOCK_NB) == 0);
  remove_leftovers(scratch.path() / "dist");
  CHECK(fs::exists(path));
  REQUIRE(::close(fd) == 0);
  remove_leftovers(scratch.path() / "dist");
  CHECK_FALSE(fs::exists(path));
  remove_leftovers(scratch.path() / "no such directory");
}

}  // namespace
}  // namespace pinwheel::host
