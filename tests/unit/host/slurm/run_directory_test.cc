#include "host/slurm/run_directory.h"

#include <fstream>

#include "host/system/files.h"
#include "unit/catch.h"
#include "unit/host/scratch.h"

using namespace pinwheel;

TEST_CASE("a directory of jobs has one plan") {
  const Scratch scratch;
  host::LocalFiles files;
  host::SlurmRunDirectory directory(files, scratch.path() / "run");
  CHECK(directory.prepare("{}"));
  CHECK(directory.prepare("{}"));
  const Done other = directory.prepare(R"({"commit": "2"})");
  REQUIRE_FALSE(other);
  CHECK(other.error().kind == ErrorKind::environment);
  CHECK(scratch.read("run/plan.json") == "{}");
}

TEST_CASE("the lists of a directory of jobs have complete names only") {
  const Scratch scratch;
  host::LocalFiles files;
  host::SlurmRunDirectory directory(files, scratch.path() / "run");
  CHECK(directory.with_result().empty());
  REQUIRE(directory.prepare("{}"));
  scratch.write("run/results/abc.json", "{}");
  scratch.write("run/results/.def.17", "{");
  CHECK(directory.with_result() == std::set<std::string>{"abc"});
  REQUIRE(directory.claim("abc", {"submission", 3, 1767323045}));
  CHECK(directory.claimed() == std::set<std::string>{"abc"});
  directory.mark_ended("abc", "lost");
  CHECK(directory.mark_of("abc") == "lost");
  CHECK(directory.mark_of("def").empty());
}
