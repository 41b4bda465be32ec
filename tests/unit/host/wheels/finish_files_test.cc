#include "host/wheels/finish_files.h"

#include "base/digest.h"
#include "unit/catch.h"
#include "unit/host/scratch.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

TEST_CASE("a finished file is copied to the output directory byte for byte") {
  const Scratch scratch;
  const std::string bytes((3U << 20U) + 17, 'x');  // several chunks and a remainder
  const fs::path file = scratch.write("built/a.whl", bytes);
  const Result<plan::Output> output = put_into(file, scratch.path() / "dist");
  REQUIRE(output);
  CHECK(output->path == (scratch.path() / "dist/a.whl").string());
  CHECK(output->size == bytes.size());
  CHECK(output->sha256 == sha256_hex(bytes));
  CHECK(scratch.read("dist/a.whl") == bytes);
  CHECK(scratch.read("dist/.gitignore") == "*\n");
}

TEST_CASE("a missing file leaves nothing in the output directory") {
  const Scratch scratch;
  const Result<plan::Output> output =
      put_into(scratch.path() / "none.whl", scratch.path() / "dist");
  REQUIRE_FALSE(output);
  CHECK(output.error().kind == ErrorKind::config);
  CHECK_FALSE(fs::exists(scratch.path() / "dist/none.whl"));
}

TEST_CASE("the error for a target that cannot be replaced names it, and no partial file is left") {
  const Scratch scratch;
  const fs::path file = scratch.write("built/a.whl", "bytes");
  fs::create_directories(scratch.path() / "dist/a.whl/in the way");
  const Result<plan::Output> output = put_into(file, scratch.path() / "dist");
  REQUIRE_FALSE(output);
  CHECK(output.error().kind == ErrorKind::environment);
  CHECK(output.error().message.find("dist/a.whl` cannot be written") != std::string::npos);
  size_t left = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(scratch.path() / "dist")) {
    CHECK(entry.path().filename() == "a.whl");
    ++left;
  }
  CHECK(left == 1);
}

FinishedBuild finished_as(const std::string& stem, const std::string& code) {
  return {{"out/" + stem + "-py3-none-any.whl", "", 0},
          {},
          {stem + ".dist-info",
           {{"demo/a.so", code, 1, false}, {stem + ".dist-info/METADATA", stem, 1, false}}}};
}

TEST_CASE("wheels of one build under several names have the same code") {
  CHECK(compare_finished({})->empty());
  CHECK(compare_finished({finished_as("demo-1+cu130", "A")})->empty());
  const auto derived = compare_finished(
      {finished_as("demo-1+cu130", "A"), finished_as("demo-1", "A"), finished_as("kit-1", "A")});
  REQUIRE(derived);
  const std::string source = "demo-1+cu130-py3-none-any.whl";
  CHECK(*derived ==
        std::vector<store::DerivedFile>{
            {"demo-1-py3-none-any.whl", source, 1, {"demo-1.dist-info/METADATA"}, {}, {}},
            {"kit-1-py3-none-any.whl", source, 1, {"kit-1.dist-info/METADATA"}, {}, {}}});
}

TEST_CASE("another program that replaced the build between two names is noticed") {
  const auto lines =
      compare_finished({finished_as("demo-1+cu130", "A"), finished_as("demo-1", "B")});
  REQUIRE_FALSE(lines);
  CHECK(lines.error().kind == ErrorKind::check);
  REQUIRE(lines.error().causes.size() == 1);
  CHECK(lines.error().causes[0].message == "`demo/a.so` has other contents");
}

}  // namespace
}  // namespace pinwheel::host
