#include "host/store/regular_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include "unit/host/store/stored.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMost = 1000;

}  // namespace

TEST_CASE("of a regular file no more is read than may be there", "[store]") {
  const Scratch scratch;
  CHECK(read_regular(scratch.write("whole", std::string(kMost, 'a')), kMost)->value().size() ==
        kMost);
  CHECK(read_regular(scratch.write("empty", ""), kMost)->value().empty());
  const auto longer = read_regular(scratch.write("longer", std::string(kMost + 1, 'a')), kMost);
  REQUIRE_FALSE(longer);
  CHECK(longer.error().kind == FaultKind::wrong_bytes);
  CHECK(longer.error().error.message.ends_with("is larger than 1.0 KB"));
  // Nobody has the memory for it.
  const fs::path sparse = scratch.write("sparse", "");
  fs::resize_file(sparse, 1UL << 42U);
  CHECK_FALSE(read_regular(sparse, kMost));
  CHECK(*read_regular(scratch.path() / "missing", kMost) == std::nullopt);
  CHECK(*read_regular(sparse / "below", kMost) == std::nullopt);
}

TEST_CASE("what is no regular file is not waited for", "[store]") {
  const Scratch scratch;
  REQUIRE(::mkfifo((scratch.path() / "fifo").c_str(), 0600) == 0);
  fs::create_symlink("/dev/zero", scratch.path() / "zero");
  fs::create_directory(scratch.path() / "directory");
  for (const char* name : {"fifo", "zero", "directory"}) {
    CAPTURE(name);
    const auto read = read_regular(scratch.path() / name, kMost);
    REQUIRE_FALSE(read);
    CHECK(read.error().kind == FaultKind::wrong_bytes);
    CHECK(read.error().error.message.ends_with("is no regular file"));
    CHECK_FALSE(digest_regular(scratch.path() / name));
  }
}

TEST_CASE("a file is known by its digest, also through a link", "[store]") {
  const Scratch scratch;
  fs::create_symlink(scratch.write("one", "one"), scratch.path() / "link");
  const auto file = digest_regular(scratch.path() / "link");
  REQUIRE(file);
  CHECK((*file)->sha256 == sha256_hex("one"));
  CHECK((*file)->size == 3);
  CHECK_FALSE(digest_regular(scratch.path() / "missing")->has_value());
}

}  // namespace pinwheel::host
