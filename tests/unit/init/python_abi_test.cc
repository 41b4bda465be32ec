#include "init/python_abi.h"

#include "unit/catch.h"

namespace pinwheel::init {
namespace {

project::Pyproject of_backend(const std::string& backend) {
  project::Pyproject pyproject;
  pyproject.build_system = {{"x"}, backend, {}};
  return pyproject;
}

std::string chosen(const ProjectFacts& facts) {
  return choose_python_abi(facts, {"3.10", "3.13"}).value;
}

TEST_CASE("no extension modules, or some") {
  ProjectFacts facts;
  CHECK(chosen(facts) == "none");
  facts.setup_py = project::SetupPy{.extensions = true};
  CHECK(chosen(facts) == "version");
  facts = {};
  facts.pyproject = of_backend("hatchling.build");
  CHECK(chosen(facts) == "none");
  facts.tools.build_hook = "hatch:custom";
  CHECK(chosen(facts) == "version");
  facts = {};
  facts.pyproject = of_backend("own_backend");
  facts.sources = {{"a.pyx", {project::SourceMark::cython}}};
  CHECK(chosen(facts) == "version");
}

TEST_CASE("setuptools names the limited API in three places") {
  ProjectFacts facts;
  facts.setup_py = project::SetupPy{.extensions = true, .py_limited_api = "cp311"};
  CHECK(chosen(facts) == "limited(3.11)");
  facts.setup_cfg = project::SetupCfg{.py_limited_api = "cp39"};
  CHECK(chosen(facts) == "limited(3.9)");
  facts.tools.bdist_py_limited_api = "cp312";
  CHECK(chosen(facts) == "limited(3.12)");
  facts = {};
  facts.setup_py = project::SetupPy{.extensions = true, .limited_api = true};
  const PythonAbiChoice unclear = choose_python_abi(facts, {"3.10", "3.13"});
  CHECK(unclear.value == "version");
  REQUIRE(unclear.left_out.size() == 1);
  CHECK(unclear.left_out[0].why.ends_with("`python: limited(3.10)`"));
}

TEST_CASE("a command for wheels of setup.py's own names the limited API") {
  ProjectFacts facts;
  facts.setup_py = project::SetupPy{.extensions = true, .python_tag_of_abi3 = "cp39"};
  CHECK(chosen(facts) == "limited(3.9)");
  facts.setup_py->python_tag_of_abi3 = {};
  facts.setup_py->python_tag_of_none = "py39";
  CHECK(chosen(facts) == "none");
  facts.setup_py->python_tag_of_none = {};
  facts.setup_py->py_limited_api = "cp3";
  CHECK(chosen(facts) == "limited(3.10)");
}

TEST_CASE("scikit-build-core, meson-python and maturin") {
  ProjectFacts facts;
  facts.pyproject = of_backend("scikit_build_core.build");
  facts.cmake = project::CMakeLists{};
  CHECK(chosen(facts) == "version");
  facts.tools.scikit_build.base.py_api = "cp312";
  CHECK(choose_python_abi(facts, {"3.10", "3.13"}).limit == "3.12");
  facts.tools.scikit_build.base.py_api = "py3";
  CHECK(chosen(facts) == "none");
  facts = {};
  facts.pyproject = of_backend("mesonpy");
  facts.meson = project::MesonBuild{.extension = true, .limited_api = "3.9"};
  CHECK(chosen(facts) == "version");
  facts.tools.meson_limited_api = true;
  CHECK(chosen(facts) == "limited(3.9)");
  facts = {};
  facts.pyproject = of_backend("maturin");
  facts.cargo = {{.pyo3 = true, .pyo3_features = {"extension-module"}}};
  CHECK(chosen(facts) == "version");
  facts.cargo[0].pyo3_features = {"abi3"};
  CHECK(chosen(facts) == "limited(3.10)");
  facts.cargo[0].pyo3_features = {"abi3", "abi3-py38"};
  CHECK(chosen(facts) == "limited(3.8)");
  facts.tools.maturin_bindings = "bin";
  CHECK(chosen(facts) == "none");
}

TEST_CASE("scikit-build-core compiles unless it is told not to") {
  ProjectFacts facts;
  facts.pyproject = of_backend("scikit_build_core.build");
  CHECK(chosen(facts) == "version");
  facts.cmake = project::CMakeLists{};
  facts.tools.scikit_build.base.platlib = false;
  CHECK(chosen(facts) == "none");
  facts.tools.scikit_build.base = {.cmake = false};
  CHECK(chosen(facts) == "none");
  facts.tools.scikit_build.base.platlib = true;
  CHECK(chosen(facts) == "version");
}

TEST_CASE("overrides of scikit-build-core decide, where reading shows whether they apply") {
  ProjectFacts facts;
  facts.pyproject = of_backend("scikit_build_core.build");
  facts.cmake = project::CMakeLists{};
  facts.tools.scikit_build.base.cmake = false;
  facts.tools.scikit_build.overrides = {
      {.any = {{"system-cmake", ">=3.15"}, {"cmake-wheel", "true", true}},
       .settings = {{"wheel.cmake", "true"}}}};
  CHECK(chosen(facts) == "version");
  facts.tools.scikit_build.overrides[0].any.clear();
  facts.tools.scikit_build.overrides[0].all = {{"env.WITH_C", "true", true}};
  CHECK(chosen(facts) == "none");
  facts.cibuildwheel.options["environment"] = {{}, {{"WITH_C", "1"}}, "pyproject.toml"};
  CHECK(chosen(facts) == "version");
  facts.tools.scikit_build.overrides[0].all = {{"platform-node", "builder"}};
  const PythonAbiChoice open = choose_python_abi(facts, {"3.10", "3.13"});
  CHECK(open.value == "version");
  REQUIRE(open.left_out.size() == 1);
  CHECK(open.left_out[0].why ==
        "`platform-node` is known in the build alone, so that `abi.python` is one of `none`, "
        "`version`: if every build makes the same, write it");
}

TEST_CASE("settings of the frontend win over the table of scikit-build-core") {
  ProjectFacts facts;
  facts.pyproject = of_backend("scikit_build_core.build");
  facts.tools.scikit_build.base.py_api = "cp312";
  CHECK(chosen(facts) == "limited(3.12)");
  facts.cibuildwheel.options["config-settings"] = {
      {}, {{"skbuild.wheel.py-api", "cp310"}}, "pyproject.toml"};
  CHECK(chosen(facts) == "limited(3.10)");
  facts.cibuildwheel.options["environment"] = {
      {}, {{"SKBUILD_WHEEL_PY_API", "py3"}}, "pyproject.toml"};
  CHECK(chosen(facts) == "none");
}

TEST_CASE("setuptools-rust makes an extension module, of one Python unless bdist_wheel says more") {
  ProjectFacts facts;
  facts.pyproject = of_backend("setuptools.build_meta");
  CHECK(chosen(facts) == "none");
  facts.tools.setuptools_rust = true;
  CHECK(chosen(facts) == "version");
  facts.tools.bdist_py_limited_api = "cp39";
  CHECK(chosen(facts) == "limited(3.9)");
}

TEST_CASE("a stable ABI that the wheel's name does not show is said") {
  ProjectFacts facts;
  facts.pyproject = of_backend("scikit_build_core.build");
  facts.cmake = project::CMakeLists{.python_module = true, .stable_abi = true};
  const PythonAbiChoice choice = choose_python_abi(facts, {"3.10", "3.13"});
  CHECK(choice.value == "version");
  REQUIRE(choice.left_out.size() == 1);
  CHECK(choice.left_out[0].what == "the stable ABI of CPython (CMakeLists.txt)");
  CHECK(choice.left_out[0].why.ends_with("`python: limited(3.12)`"));
}

}  // namespace
}  // namespace pinwheel::init
