#include "host/git/made_directories.h"

#include "unit/catch.h"
#include "unit/host/scratch.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

MadeDirectories made_below(const fs::path& source, const std::vector<fs::path>& made) {
  Result<MadeDirectories> found = MadeDirectories::below(source, made);
  REQUIRE(found);
  return *std::move(found);
}

TEST_CASE("what runs make below a source is not part of it") {
  const Scratch scratch;
  const fs::path source = scratch.path() / "source";
  fs::create_directories(source);
  const MadeDirectories made =
      made_below(source, {source / "dist", source / "a/./state/", "/elsewhere"});
  CHECK(made.contains("dist/a.whl"));
  CHECK(made.contains("dist/sub/a.whl"));
  CHECK(made.contains("a/state/journal.jsonl"));
  for (const char* const name : {"dist.py", "dist", "a/b.py", "sub/dist/a.py", "distant/a.py"}) {
    CHECK_FALSE(made.contains(name));
  }
}

TEST_CASE("a made directory that contains the source does not hide it") {
  const Scratch scratch;
  const fs::path source = scratch.path() / "source";
  fs::create_directories(source);
  CHECK_FALSE(made_below(source, {source, scratch.path(), source / "."}).contains("a.py"));
}

TEST_CASE("links to a source and to what is made do not matter") {
  const Scratch scratch;
  fs::create_directories(scratch.path() / "source/dist");
  fs::create_symlink("source", scratch.path() / "link");
  fs::create_symlink("source/dist", scratch.path() / "out");
  CHECK(made_below(scratch.path() / "link", {scratch.path() / "out"}).contains("dist/a.whl"));
}

TEST_CASE("a file that is named is covered, and so is a link that is named") {
  const Scratch scratch;
  const fs::path source = scratch.path() / "source";
  fs::create_directories(source);
  fs::create_symlink(scratch.path() / "plan.json", source / "link.json");
  const MadeDirectories named =
      made_below(source, {source / "plan.json", source / "store/", source / "link.json"});
  for (const char* const name : {"plan.json", "store/ac/a", "link.json"}) CHECK(named.covers(name));
  for (const char* const name : {"plan.json5", "a/plan.json", "stored", "link.jso"}) {
    CHECK_FALSE(named.covers(name));
  }
}

}  // namespace
}  // namespace pinwheel::host
