#include "prepare/check_abi.h"

#include <string>

#include "unit/prepare/matrix_world.h"

namespace pinwheel::prepare {
namespace {

constexpr const char* kCompiled =
    "[project]\nname = \"demo\"\n[build-system]\nrequires = [\"scikit-build-core\"]\n"
    "build-backend = \"scikit_build_core.build\"\n";

/// A project of scikit-build-core, which makes a wheel for each Python.
struct PromiseWorld {
  fakes::FakeHost fake;

  PromiseWorld() {
    fake.files.put("pyproject.toml", kCompiled);
    fake.files.put("CMakeLists.txt", "project(demo)\nadd_library(m MODULE m.cc)\n");
  }
  Done check(const std::string& promise, const std::string& more = "") {
    std::string yaml = kPlainYaml;
    yaml.replace(yaml.find("python: version"), 15, "python: " + promise);
    const Loaded loaded = loaded_from(fake, yaml + more);
    return check_project_abi(fake.host, loaded, *select_outline(loaded, {}, {}, ""), fake.notices);
  }
};

TEST_CASE("a promise that the backend's tables break is an error before anything is compiled") {
  PromiseWorld world;
  CHECK(world.check("version"));
  const Done checked = world.check("none");
  REQUIRE_FALSE(checked);
  CHECK(checked.error().kind == ErrorKind::config);
  CHECK(checked.error().message.starts_with(
      "`abi.python` promises `none`, but the build will make `version`"));
  CHECK(checked.error().hint == "write `abi: {python: version}`");
  CHECK(world.check("limited(3.11)").error().message.find("`limited(3.11)`") != std::string::npos);
  CHECK(world.check("limited(3.11) else version")
            .error()
            .message.find("`limited(3.11) else version`") != std::string::npos);
  CHECK(world.fake.notices.warnings.empty());
}

TEST_CASE("a command that may make another wheel keeps any promise") {
  PromiseWorld world;
  CHECK(world.check("none", "build: {command: [make, wheel]}\n"));
  CHECK(world.check("none", "build: {command: [pip, wheel, ., -Cwheel.py-api=py3]}\n"));
  CHECK_FALSE(world.check("none", "build: {command: [pip, wheel, .]}\n"));
  CHECK(world.fake.notices.warnings.empty());
}

TEST_CASE("a promise that only code decides is a warning") {
  PromiseWorld world;
  CHECK(world.fake.files.remove_all("pyproject.toml"));
  world.fake.files.put("setup.py",
                       "from setuptools import setup, Extension\n"
                       "setup(name='demo', ext_modules=[Extension('m', ['m.c'])])\n");
  CHECK(world.check("none"));
  REQUIRE(world.fake.notices.warnings.size() == 1);
  CHECK(world.fake.notices.warnings.front().find("the build will probably make") !=
        std::string::npos);
}

TEST_CASE("a project without Python files and a third-party sdist promise nothing here") {
  PromiseWorld world;
  CHECK(world.fake.files.remove_all("pyproject.toml"));
  CHECK(world.check("none"));
  const Loaded loaded = loaded_from(world.fake,
                                    "schema: pinwheel/1\npackage: {name: demo, requirement: "
                                    "\"demo==1.0\"}\naxes: {python: [\"3.11\"]}\n");
  CHECK(check_project_abi(world.fake.host, loaded, *select_outline(loaded, {}, {}, ""),
                          world.fake.notices));
  CHECK(world.fake.notices.warnings.empty());
}

TEST_CASE("a source that is no directory is an error, and without builds it is not looked at") {
  PromiseWorld world;
  const Loaded loaded = loaded_from(world.fake,
                                    "schema: pinwheel/1\npackage: {name: demo, source: nowhere}\n"
                                    "axes: {python: [\"3.11\"]}\n");
  CHECK(check_project_abi(world.fake.host, loaded, {}, world.fake.notices));
  const Done checked = check_project_abi(world.fake.host, loaded,
                                         *select_outline(loaded, {}, {}, ""), world.fake.notices);
  REQUIRE_FALSE(checked);
  CHECK(checked.error().kind == ErrorKind::config);
}

}  // namespace
}  // namespace pinwheel::prepare
