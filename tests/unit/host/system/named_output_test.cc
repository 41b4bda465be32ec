#include "host/system/named_output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <string>

#include "host/system/files.h"
#include "host/system/unique_fd.h"
#include "unit/catch.h"
#include "unit/host/scratch.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

TEST_CASE("a file that is named is replaced, and one that is missing is made") {
  const Scratch scratch;
  LocalFiles files;
  scratch.write("old.json", "old and longer");
  for (const char* name : {"old.json", "new.json", "below/new.json"}) {
    INFO(name);
    REQUIRE(write_named_output(files, scratch.path() / name, "new"));
    CHECK(scratch.read(name) == "new");
  }
}

TEST_CASE("a symbolic link stays one, and the file that it names is written") {
  const Scratch scratch;
  LocalFiles files;
  scratch.write("there.json", "old and longer");
  for (const char* target : {"there.json", "missing.json"}) {
    INFO(target);
    const fs::path link = scratch.path() / (std::string(target) + ".link");
    fs::create_symlink(target, link);
    REQUIRE(write_named_output(files, link, "new"));
    CHECK(fs::is_symlink(link));
    CHECK(scratch.read(target) == "new");
  }
}

TEST_CASE("what is no regular file is written to, directly or by a link") {
  const Scratch scratch;
  LocalFiles files;
  const fs::path fifo = scratch.path() / "fifo";
  REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  fs::create_symlink("fifo", scratch.path() / "link");
  // Its reader: without one, opening it to write would wait.
  const UniqueFd reader(::open(fifo.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  REQUIRE(reader.valid());
  for (const char* name : {"fifo", "link"}) {
    INFO(name);
    REQUIRE(write_named_output(files, scratch.path() / name, "new"));
    std::array<char, 16> got = {};
    CHECK(::read(reader.get(), got.data(), got.size()) == 3);
    CHECK(std::string(got.data()) == "new");
    CHECK(fs::is_fifo(scratch.path() / "fifo"));
  }
  CHECK(fs::is_symlink(scratch.path() / "link"));
}

TEST_CASE("a directory is no output") {
  const Scratch scratch;
  LocalFiles files;
  const Done refused = write_named_output(files, scratch.path(), "new");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == ErrorKind::environment);
}

}  // namespace
}  // namespace pinwheel::host
