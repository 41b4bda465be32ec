#include "publish/narrower_wheel.h"

#include "unit/catch.h"

namespace pinwheel::publish {
namespace {

using Wheels = std::vector<NarrowerWheel>;

const std::string kOld = "demo-1.0-cp311-cp311-manylinux_2_28_x86_64.whl";
const std::string kNew = "demo-1.1-cp311-cp311-manylinux_2_34_x86_64.whl";

TEST_CASE("a wheel for a newer glibc than the last release is narrower") {
  CHECK(narrower_wheels({kNew}, {kOld}) == Wheels{{kNew, kOld}});
  const std::string legacy = "demo-1.0-cp311-cp311-manylinux2014_x86_64.manylinux_2_17_x86_64.whl";
  CHECK(narrower_wheels({kNew}, {legacy}) == Wheels{{kNew, legacy}});
  const std::string bare = "demo-1.1-cp311-cp311-linux_x86_64.whl";
  CHECK(narrower_wheels({bare}, {kOld}) == Wheels{{bare, kOld}});
  const std::string musl = "demo-1.1-cp311-cp311-musllinux_1_2_x86_64.whl";
  const std::string older = "demo-1.0-cp311-cp311-musllinux_1_1_x86_64.whl";
  CHECK(narrower_wheels({musl}, {older}) == Wheels{{musl, older}});
}

TEST_CASE("a wheel for as many systems is not narrower") {
  CHECK(narrower_wheels({"demo-1.1-cp311-cp311-manylinux_2_28_x86_64.whl"}, {kOld}).empty());
  CHECK(narrower_wheels({"demo-1.1-cp311-cp311-manylinux_2_17_x86_64.whl"}, {kOld}).empty());
  CHECK(narrower_wheels({"demo-1.1-py3-none-any.whl"}, {kOld}).empty());
}

TEST_CASE("only wheels of the same project, C library and architecture are compared") {
  for (const char* other :
       {"demo-1.0-cp311-cp311-manylinux_2_17_aarch64.whl",
        "demo-1.0-cp311-cp311-musllinux_1_2_x86_64.whl",
        "other-1.0-cp311-cp311-manylinux_2_17_x86_64.whl", "demo-1.0-cp311-cp311-win_amd64.whl",
        "demo-1.0.tar.gz", "not a name"}) {
    INFO(other);
    CHECK(narrower_wheels({kNew}, {other}).empty());
  }
  CHECK(narrower_wheels({"Demo-1.1-cp311-cp311-manylinux_2_34_x86_64.whl"}, {kOld}).size() == 1);
}

TEST_CASE("the newest earlier release counts, a pre-release only for a pre-release") {
  const std::string ancient = "demo-0.9-cp311-cp311-manylinux_2_5_x86_64.whl";
  const std::string wide = "demo-1.0-cp311-cp311-manylinux_2_34_x86_64.whl";
  const std::string trial = "demo-1.1rc1-cp311-cp311-manylinux_2_17_x86_64.whl";
  const std::string later = "demo-2.0-cp311-cp311-manylinux_2_17_x86_64.whl";
  CHECK(narrower_wheels({kNew}, {ancient, wide, trial, later}).empty());
  CHECK(narrower_wheels({"demo-1.1rc2-cp311-cp311-manylinux_2_34_x86_64.whl"}, {wide, trial})
            .front()
            .published == trial);
  // Files of the release itself are not an earlier release.
  CHECK(narrower_wheels({kNew}, {"demo-1.1-cp312-cp312-manylinux_2_17_x86_64.whl"}).empty());
}

TEST_CASE("a re-cut is compared with the earlier cuts of its version") {
  const std::string first = "demo-1.1-cp311-cp311-manylinux_2_28_x86_64.whl";
  const std::string recut = "demo-1.1-1-cp311-cp311-manylinux_2_34_x86_64.whl";
  CHECK(narrower_wheels({recut}, {first}) == Wheels{{recut, first}});
  CHECK(narrower_wheels({first}, {recut}).empty());
  CHECK(narrower_wheels({"demo-1.1-2-cp311-cp311-manylinux_2_34_x86_64.whl"}, {recut}).empty());
}

TEST_CASE("a label of the local version is a kind of its own, a commit is none") {
  const std::string wheel = "demo-1.1+cu130-cp311-cp311-manylinux_2_34_x86_64.whl";
  CHECK(narrower_wheels({wheel}, {"demo-1.0+cpu-cp311-cp311-manylinux_2_28_x86_64.whl"}).empty());
  CHECK(narrower_wheels({wheel}, {"demo-1.0+cu130.g1a2b3c4-cp311-cp311-manylinux_2_28_x86_64.whl"})
            .size() == 1);
}

TEST_CASE("another wheel of the release may be for the older systems") {
  CHECK(narrower_wheels({kNew, "demo-1.1-cp311-cp311-manylinux_2_28_x86_64.whl"}, {kOld}).empty());
}

TEST_CASE("many wheels are one warning") {
  CHECK(narrower_warnings({}, "pypi").empty());
  const std::vector<Error> one = narrower_warnings({{kNew, kOld}, {"b", "c"}}, "pypi");
  REQUIRE(one.size() == 1);
  CHECK(one.front().message == "`" + kNew + "` is for fewer systems than `" + kOld +
                                   "`, which `pypi` has, and so on for 1 more");
}

}  // namespace
}  // namespace pinwheel::publish
