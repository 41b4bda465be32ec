#include "wheel/pinned_requirements.h"

#include "unit/catch.h"

namespace pinwheel::wheel {
namespace {

using Lines = std::vector<std::string>;

const Pins kCuda = {{"my-ops-cuda", "my-ops-cuda-cu130==1.2.0"}};

Lines pinned(const Lines& requirements, const Pins& pins = kCuda) {
  std::string text = "Metadata-Version: 2.1\nName: my-ops\nVersion: 1.2.0\n";
  for (const std::string& line : requirements) text += "Requires-Dist: " + line + "\n";
  Result<Metadata> metadata = parse_metadata(text + "License: free\n\nText.\n");
  REQUIRE(metadata);
  REQUIRE(pin_requirements(*metadata, pins));
  CHECK(metadata->description() == "Text.\n");
  return metadata->requires_dist();
}

Error rejected(const Lines& requirements, const Pins& pins = kCuda) {
  const Result<PinnedRequirements> result = pinned_requirements(requirements, pins);
  REQUIRE_FALSE(result);
  return result.error();
}

TEST_CASE("a requirement on a pinned project becomes the exact one") {
  CHECK(pinned({"my-ops-cuda"}) == Lines{"my-ops-cuda-cu130==1.2.0"});
  CHECK(pinned({"My_Ops.Cuda (>=1.1,<2)"}) == Lines{"my-ops-cuda-cu130==1.2.0"});
  CHECK(pinned({"my-ops-cuda @ https://x.org/a.whl"}) == Lines{"my-ops-cuda-cu130==1.2.0"});
  CHECK(pinned({"my-ops-cuda~=1.2"}, {{"My.Ops.Cuda", "my-ops-cuda==1.2.0+cu130"}}) ==
        Lines{"my-ops-cuda==1.2.0+cu130"});
}

TEST_CASE("a pinned requirement keeps its extras, its marker and its position") {
  CHECK(pinned({"numpy", "my-ops-cuda[a,B]>=1; python_version < '3.12'",
                "my-ops-cuda ; extra == 'all'", "torch>=2"}) ==
        Lines{"numpy", "my-ops-cuda-cu130[a,B]==1.2.0; python_version < '3.12'",
              "my-ops-cuda-cu130==1.2.0; extra == 'all'", "torch>=2"});
}

TEST_CASE("a pin that no requirement names is added after the others") {
  CHECK(pinned({}) == Lines{"my-ops-cuda-cu130==1.2.0"});
  CHECK(pinned({"numpy", "my-ops-cuda-extra>=1"}) ==
        Lines{"numpy", "my-ops-cuda-extra>=1", "my-ops-cuda-cu130==1.2.0"});
  CHECK(pinned({"numpy"}, {{"b", "b==1"}, {"a", "a==2"}}) == Lines{"numpy", "a==2", "b==1"});
}

TEST_CASE("equal lines are written once, and other repeated lines are unchanged") {
  CHECK(pinned({"my-ops-cuda>=1", "numpy", "my-ops-cuda<2", "numpy"}) ==
        Lines{"my-ops-cuda-cu130==1.2.0", "numpy", "numpy"});
}

TEST_CASE("pinning again changes nothing") {
  const Lines once = pinned({"my-ops-cuda>=1; python_version < '3.12'", "numpy"});
  CHECK(pinned(once) == once);
  const Result<PinnedRequirements> again = pinned_requirements(once, kCuda);
  REQUIRE(again);
  CHECK(again->changed.empty());
  CHECK(again->added.empty());
}

TEST_CASE("without pins nothing changes") {
  CHECK(pinned({"numpy", "numpy", "my-ops-cuda<1"}, {}) ==
        Lines{"numpy", "numpy", "my-ops-cuda<1"});
}

TEST_CASE("a requirement that excludes the pinned version is rejected, with both") {
  for (const char* const text : {"my-ops-cuda<1.2", "my-ops-cuda==1.1.*",
                                 "my-ops-cuda!=1.2; extra == 'x'", "my-ops-cuda-cu130==1.1"}) {
    CAPTURE(text);
    const Error error = rejected({"numpy", text});
    CHECK(error.kind == ErrorKind::check);
    CHECK(error.message.find(text) != std::string::npos);
    CHECK(error.message.find("`my-ops-cuda-cu130==1.2.0`") != std::string::npos);
  }
  CHECK(rejected({"core==1.2.0+cu129"}, {{"core", "core==1.2.0+cu130"}}).kind == ErrorKind::check);
}

TEST_CASE("a local version of another target does not exclude a pin without one") {
  CHECK(pinned({"my-ops-cuda==1.2.0+cu130"}) == Lines{"my-ops-cuda-cu130==1.2.0"});
  CHECK(rejected({"my-ops-cuda==1.1.0+cu130"}).kind == ErrorKind::check);
}

TEST_CASE("a malformed requirement on a pinned project is rejected, on others it is unchanged") {
  CHECK(rejected({"my-ops-cuda =="}).kind == ErrorKind::check);
  CHECK(pinned({"numpy ==", "my-ops-cuda"}) == Lines{"numpy ==", "my-ops-cuda-cu130==1.2.0"});
}

TEST_CASE("pins are read from texts and written back") {
  const Result<Pins> pins = parse_pins({"My_Core==1.2.0+cu130", "my-ops-cuda=my-ops-cu13 == 1.2"});
  REQUIRE(pins);
  CHECK(*pins == Pins{{"my-core", "My_Core==1.2.0+cu130"}, {"my-ops-cuda", "my-ops-cu13 == 1.2"}});
  CHECK(parse_pins(to_texts(*pins)) == *pins);
  CHECK(parse_pins({"a==1", "a==1"})->size() == 1);
}

TEST_CASE("a text that is not one exact requirement is an error of usage") {
  for (const char* const text :
       {"", "my-core", "my-core>=1", "my-core==1.*", "my-core===1", "my-core==1,<2",
        "my-core[x]==1", "my-core==1; python_version < '3.12'", "my-core @ https://x.org/a.whl",
        "my-core=", "my-core=other", "=other==1", "-=other==1", "my-core==x"}) {
    CAPTURE(text);
    const Result<Pins> pins = parse_pins({text});
    REQUIRE_FALSE(pins);
    CHECK(pins.error().kind == ErrorKind::usage);
  }
  CHECK(parse_pins({"a==1", "A==2"}).error().message == "`a` is pinned to `a==1` and to `A==2`");
}

TEST_CASE("the requirements on other projects are those outside extras") {
  CHECK(unpinned_requirements(
            {"numpy", "my-ops-cuda-cu130==1.2.0", "my_ops_cuda", "x; extra == 'a'", "torch>=2"},
            kCuda) == Lines{"numpy", "torch>=2"});
}

}  // namespace
}  // namespace pinwheel::wheel
