#include "prepare/check_build.h"

#include <string>
#include <vector>

#include "unit/host/scratch.h"
#include "unit/prepare/matrix_world.h"

namespace pinwheel::prepare {
namespace {

/// A project whose builds run a command.
struct BuildCommandWorld {
  fakes::FakeHost fake;
  LevelOptions levels = {};

  BuildCommandWorld() {
    fake.files.put("pyproject.toml",
                   "[build-system]\nrequires = [\"hatchling\"]\n"
                   "build-backend = \"hatchling.build\"\n");
  }
  Done check(const std::string& command, const std::string& environment = "") {
    const std::string tail = environment.empty() ? "" : "environment: {" + environment + "}\n";
    return check_builds(
        fake.host,
        whole_scope(fake, std::string(kPlainYaml) + "build: {command: [" + command + "]}\n" + tail,
                    levels),
        fake.notices);
  }
  std::vector<std::string> warnings() const { return fake.notices.warnings; }
};

TEST_CASE("a script that a build runs is in the checkout") {
  BuildCommandWorld world;
  for (const char* const command :
       {"./make.sh", "tools/make.sh", "\"{package}/make.sh\"", "\"{project}/make.sh\""}) {
    CAPTURE(command);
    const Done checked = world.check(command);
    REQUIRE_FALSE(checked);
    CHECK(checked.error().kind == ErrorKind::config);
    CHECK(checked.error().message.starts_with("`build.command` runs "));
    CHECK(checked.error().hint == "commands run at the top of `package.source`");
  }
  world.fake.files.put("make.sh", "");
  world.fake.files.put("tools/make.sh", "");
  CHECK(world.check("./make.sh"));
  CHECK(world.check("tools/make.sh"));
  CHECK(world.check("\"{package}/make.sh\""));
  CHECK(world.warnings().empty());
}

TEST_CASE("a program outside the checkout is not looked for in it") {
  BuildCommandWorld world;
  for (const char* const command : {"/opt/make", "../make.sh", "python", "python3.11", "pip"}) {
    CAPTURE(command);
    CHECK(world.check(command));
  }
  CHECK(world.warnings().empty());
}

TEST_CASE("a program that nothing provides is a warning, once") {
  BuildCommandWorld world;
  CHECK(world.check("bazel, build"));
  CHECK(world.warnings() ==
        std::vector<std::string>{"`build.command` runs `bazel`, which is not on PATH, and no "
                                 "package of the environment provides it"});
}

TEST_CASE("a program may come from PATH, a package of its name, or one that is not known") {
  BuildCommandWorld world;
  CHECK(world.check("bazel", "tools: [Bazel]"));
  CHECK(world.check("bazel", "tools: [unknown-tools]"));
  CHECK(world.check("bazel", "pip: [unknown-tools]"));
  CHECK(world.warnings().empty());
  CHECK(world.check("bazel", "tools: [ninja, cmake]"));
  CHECK(world.warnings().size() == 1);
  const Scratch scratch;
  const std::filesystem::path program = scratch.write("bazel", "#!/bin/sh\n");
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  world.fake.host.variables["PATH"] = scratch.path().string();
  CHECK(world.check("bazel"));
  CHECK(world.warnings().size() == 1);
}

TEST_CASE("programs of images and of conda are not known here") {
  BuildCommandWorld conda;
  CHECK(conda.check("bazel", "conda: {channels: [conda-forge], packages: [bazel]}"));
  CHECK(conda.warnings().empty());
  BuildCommandWorld contained;
  contained.levels.engine = container::Engine::docker;
  contained.levels.base_images = {"debian:12"};
  CHECK(contained.check("bazel",
                        "conda: {channels: [conda-forge], packages: [\"python={python}\"]}"));
  CHECK(contained.warnings().empty());
}

TEST_CASE("requirements that exclude those of the matrix are one warning for all builds") {
  BuildCommandWorld world;
  world.fake.files.put("pyproject.toml",
                       "[build-system]\nrequires = [\"hatchling>=2\"]\n"
                       "build-backend = \"hatchling.build\"\n");
  CHECK(world.check("pip", "pip: [\"hatchling<2\"]"));
  CHECK(world.warnings() ==
        std::vector<std::string>{"the matrix installs `hatchling<2`, but the project's "
                                 "`[build-system]` requires `hatchling>=2`"});
}

TEST_CASE("a build that installs no requirements contradicts none") {
  BuildCommandWorld world;
  world.fake.files.put("pyproject.toml",
                       "[build-system]\nrequires = [\"torch\", \"setuptools\"]\n"
                       "build-backend = \"setuptools.build_meta\"\n");
  const Done checked = world.check("pip");
  REQUIRE_FALSE(checked);
  CHECK(checked.error().kind == ErrorKind::config);
  CHECK(checked.error().message ==
        "the project requires torch to build, but `m.yaml` has no torch");
  CHECK(world.check("pip", "build-requires: none"));
}

TEST_CASE("a project that cannot be read is an error of its file, an sdist on an index is none") {
  BuildCommandWorld world;
  world.fake.files.put("pyproject.toml", "[build-system\n");
  CHECK(world.check("pip").error().kind == ErrorKind::config);
  const RunScope sdist = whole_scope(world.fake,
                                     "schema: pinwheel/1\npackage: {name: demo, requirement: "
                                     "\"demo==1.0\"}\naxes: {python: [\"3.11\"]}\n");
  CHECK(check_builds(world.fake.host, sdist, world.fake.notices));
}

}  // namespace
}  // namespace pinwheel::prepare
