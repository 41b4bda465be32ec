#include "wheel/required_wheels.h"

#include "unit/catch.h"

namespace pinwheel::wheel {
namespace {

using Paths = std::vector<std::string>;

NamedWheel named_wheel(const std::string& name, const std::string& version,
                       const Paths& requirements = {}) {
  std::string text = "Metadata-Version: 2.1\nName: " + name + "\nVersion: " + version + "\n";
  for (const std::string& line : requirements) text += "Requires-Dist: " + line + "\n";
  return {"dist/" + name + "-" + version + ".whl", *parse_metadata(text)};
}

/// One build with wheels for two targets.
const WheelsOfBuild kCore = {"build:core",
                             {named_wheel("core", "1.2.0+cu130"),
                              named_wheel("core-cu130", "1.2.0"), named_wheel("core", "1.2.0")}};

TEST_CASE("the wheel of a sibling is the one that the tested wheel requires") {
  const auto chosen = [](const std::string& requirement) {
    const auto paths =
        required_wheels(named_wheel("ops", "1.2.0", {"numpy", requirement}), {kCore});
    REQUIRE(paths);
    return paths->front();
  };
  CHECK(chosen("core==1.2.0+cu130") == "dist/core-1.2.0+cu130.whl");
  CHECK(chosen("Core_cu130 == 1.2.0") == "dist/core-cu130-1.2.0.whl");
  // The local version satisfies it as well, but is not stated.
  CHECK(chosen("core==1.2.0") == "dist/core-1.2.0.whl");
  CHECK(chosen("core-cu130>=1; python_version < '3'") == "dist/core-cu130-1.2.0.whl");
}

TEST_CASE("siblings that require each other are of one target") {
  const WheelsOfBuild kit = {"build:kit",
                             {named_wheel("kit", "1.2.0+cu130", {"core==1.2.0+cu130"}),
                              named_wheel("kit-cu130", "1.2.0", {"core-cu130==1.2.0"})}};
  CHECK(*required_wheels(named_wheel("ops-cu130", "1.2.0", {"kit-cu130==1.2.0"}), {kCore, kit}) ==
        Paths{"dist/core-cu130-1.2.0.whl", "dist/kit-cu130-1.2.0.whl"});
  CHECK(*required_wheels(named_wheel("ops", "1.2.0+cu130", {"kit==1.2.0+cu130"}), {kit, kCore}) ==
        Paths{"dist/kit-1.2.0+cu130.whl", "dist/core-1.2.0+cu130.whl"});
}

TEST_CASE("without siblings no wheel is added") {
  CHECK(required_wheels(named_wheel("ops", "1", {"core==1.2.0"}), {})->empty());
}

TEST_CASE("a build of which no wheel is required is an error that names both") {
  for (const Paths& lines : {Paths{}, Paths{"core==1.1"}, Paths{"core =="}}) {
    const auto paths = required_wheels(named_wheel("ops", "1.2.0", lines), {kCore});
    REQUIRE_FALSE(paths);
    CHECK(paths.error().kind == ErrorKind::check);
    CHECK(paths.error().message ==
          "`ops-1.2.0.whl` requires a version that no wheel of `build:core` has");
  }
}

}  // namespace
}  // namespace pinwheel::wheel
