#include "host/machine/ignored_directory.h"

#include "fakes/forwarded_files.h"
#include "unit/catch.h"
#include "unit/host/scratch.h"

using namespace pinwheel;

namespace {

namespace fs = std::filesystem;

/// Files of a process that is killed after some changes: what comes later does not happen.
class KilledFiles final : public ForwardedFiles {
 public:
  explicit KilledFiles(int changes) : left_(changes) {}

  Done write(const fs::path& path, std::string_view bytes, uint32_t mode) override {
    return dies() ? dead() : ForwardedFiles::write(path, bytes, mode);
  }
  Done make_directories(const fs::path& path) override {
    return dies() ? dead() : ForwardedFiles::make_directories(path);
  }
  Done remove_all(const fs::path& path) override {
    return dies() ? dead() : ForwardedFiles::remove_all(path);
  }
  Done rename(const fs::path& from, const fs::path& to) override {
    return dies() ? dead() : ForwardedFiles::rename(from, to);
  }

 private:
  bool dies() { return left_-- <= 0; }
  static Done dead() { return fail(ErrorKind::environment, "killed"); }

  int left_;
};

bool is_ignored(const fs::path& directory) {
  return fs::exists(directory / ".gitignore");
}

}  // namespace

TEST_CASE("a kill at any place leaves no directory under its name that git does not ignore") {
  for (const auto make : {&host::make_output_directory, &host::make_ignored_directory}) {
    for (int changes = 0; changes < 6; ++changes) {
      const Scratch scratch;
      const fs::path directory = scratch.path() / "above" / "dist";
      KilledFiles killed(changes);
      static_cast<void>(make(killed, directory));
      CHECK((!fs::exists(directory) || is_ignored(directory)));
      host::LocalFiles files;
      REQUIRE(make(files, directory));
      CHECK(is_ignored(directory));
      CHECK(files.list(scratch.path() / "above")->size() == 1);
    }
  }
}

TEST_CASE(
    "a directory of finished files that exists stays as it is, one of a run is ignored again") {
  const Scratch scratch;
  host::LocalFiles files;
  fs::create_directory(scratch.path() / "dist");
  REQUIRE(host::make_output_directory(files, scratch.path() / "dist"));
  CHECK(!is_ignored(scratch.path() / "dist"));
  REQUIRE(host::make_ignored_directory(files, scratch.path() / "dist/"));
  CHECK(is_ignored(scratch.path() / "dist"));
  REQUIRE(host::make_output_directory(files, scratch.path() / "other/"));
  CHECK(is_ignored(scratch.path() / "other"));
}
