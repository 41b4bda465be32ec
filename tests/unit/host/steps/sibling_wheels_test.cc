#include "host/steps/sibling_wheels.h"

#include "unit/host/scratch.h"
#include "unit/wheel/make_wheel.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

/// The outcomes of builds, whose wheels are written to a directory.
struct SiblingBench {
  /// The path of a wheel with these requirements.
  std::string wheel(const std::string& name, const std::string& version,
                    const std::vector<std::string>& requirements = {}) const {
    const std::string info = name + "-" + version + ".dist-info/";
    std::string text = "Metadata-Version: 2.1\nName: " + name + "\nVersion: " + version + "\n";
    for (const std::string& line : requirements) text += "Requires-Dist: " + line + "\n";
    const wheel::Contents members = {
        {info + "METADATA", text},
        {info + "WHEEL",
         "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n"}};
    return scratch
        .write(name + "-" + version + "-py3-none-any.whl",
               wheel::make_zip(wheel::with_record(members, info + "RECORD")))
        .string();
  }
  void built(const std::string& build, const std::vector<std::string>& paths) {
    plan::StepOutcome outcome;
    outcome.id = build;
    for (const std::string& path : paths) outcome.outputs.push_back({path, "aa", 1});
    needs.push_back(std::move(outcome));
  }

  Scratch scratch;
  std::vector<plan::StepOutcome> needs = {};
};

plan::TestWheel test_of_ops() {
  plan::TestWheel action;
  action.build = "build:ops";
  action.siblings = {"build:kit", "build:core"};
  return action;
}

TEST_CASE("a test installs the wheels of its siblings that belong to the tested one") {
  SiblingBench bench;
  const std::string ops = bench.wheel("ops", "1.0+cu130", {"kit==1.0+cu130", "numpy"});
  const std::string kit = bench.wheel("kit", "1.0+cu130", {"core==1.0+cu130"});
  const std::string core = bench.wheel("core", "1.0+cu130");
  bench.built("env:x", {});
  bench.built("build:ops", {ops, bench.wheel("ops_cu130", "1.0", {"kit-cu130==1.0"})});
  bench.built("build:core", {bench.wheel("core_cu130", "1.0"), core});
  bench.built("build:kit", {bench.wheel("kit_cu130", "1.0", {"core-cu130==1.0"}), kit});
  const auto found = find_wheels(bench.needs, test_of_ops());
  REQUIRE(found);
  REQUIRE(*found);
  CHECK((*found)->all() == std::vector<fs::path>{ops, kit, core});
}

TEST_CASE("a sibling that is not built is named, with the command that builds it") {
  SiblingBench bench;
  bench.built("build:ops", {bench.wheel("ops", "1.0", {"kit==1.0"})});
  bench.built("build:kit", {bench.wheel("kit", "1.0", {"core==1.0"})});
  const auto found = find_wheels(bench.needs, test_of_ops());
  REQUIRE_FALSE(found);
  CHECK(found.error().kind == ErrorKind::usage);
  CHECK(found.error().message ==
        "the wheel of `build:ops` requires that of `build:core`, which is not built yet");
  CHECK(found.error().hint == "run `pinwheel build --step build:core`");
  bench.needs.pop_back();
  const auto none = find_wheels(bench.needs, test_of_ops());
  REQUIRE_FALSE(none);
  CHECK(none.error().message ==
        "the wheel of `build:ops` requires those of `build:kit`, `build:core`, which are not built "
        "yet");
  CHECK(none.error().hint == "run `pinwheel build --step build:kit --step build:core`");
}

TEST_CASE("wheels that do not belong together are an error") {
  SiblingBench bench;
  bench.built("build:ops", {bench.wheel("ops", "1.0", {"kit==1.0"})});
  bench.built("build:kit", {bench.wheel("kit", "1.1")});
  bench.built("build:core", {bench.wheel("core", "1.0")});
  const auto found = find_wheels(bench.needs, test_of_ops());
  REQUIRE_FALSE(found);
  CHECK(found.error().kind == ErrorKind::check);
}

TEST_CASE("without a wheel to test, nothing is required") {
  SiblingBench bench;
  bench.built("build:core", {bench.wheel("core", "1.0")});
  const auto found = find_wheels(bench.needs, test_of_ops());
  REQUIRE(found);
  CHECK_FALSE(*found);
}

}  // namespace
}  // namespace pinwheel::host
