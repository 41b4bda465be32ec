#include "host/machine/ignored_directory.h"

#include "host/system/files.h"
#include "unit/catch.h"
#include "unit/host/scratch.h"

using namespace pinwheel;

namespace {

namespace fs = std::filesystem;

/// Files of a process that is killed after some changes: what comes later does not happen.
class KilledFiles final : public ports::Files {
 public:
  explicit KilledFiles(int changes) : left_(changes) {}

  Done write(const fs::path& path, std::string_view bytes, uint32_t mode) override {
    return dies() ? dead() : files_.write(path, bytes, mode);
  }
  Result<ports::FileStatus> status(const fs::path& path) override { return files_.status(path); }
  Result<std::vector<std::string>> list(const fs::path& path) override { return files_.list(path); }
  Done make_directories(const fs::path& path) override {
    return dies() ? dead() : files_.make_directories(path);
  }
  Done remove_all(const fs::path& path) override {
    return dies() ? dead() : files_.remove_all(path);
  }
  Done rename(const fs::path& from, const fs::path& to) override {
    return dies() ? dead() : files_.rename(from, to);
  }
  Result<uint64_t> free_bytes(const fs::path& path) override { return files_.free_bytes(path); }
  Result<std::unique_ptr<ports::FileLock>> lock(const fs::path& path,
                                                ports::IfLocked what) override {
    return files_.lock(path, what);
  }
  Result<std::unique_ptr<ports::FileLock>> share_lock(const fs::path& path) override {
    return files_.share_lock(path);
  }

 private:
  Result<std::string> read_up_to(const fs::path& path, const ByteLimit& limit) override {
    return files_.read(path, limit);
  }
  bool dies() { return left_-- <= 0; }
  static Done dead() { return fail(ErrorKind::environment, "killed"); }

  host::LocalFiles files_;
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
