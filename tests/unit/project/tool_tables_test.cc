#include "project/tool_tables.h"

#include "unit/catch.h"

namespace pinwheel::project {
namespace {

TEST_CASE("the tables of backends, extras and groups") {
  const auto read = parse_tool_tables(
      "[project.optional-dependencies]\ntest = ['pytest', 'mock']\n[dependency-groups]\n"
      "dev = ['ruff', {include-group = 'x'}]\n[tool.scikit-build]\nwheel.py-api = 'cp312'\n"
      "[tool.meson-python]\nlimited-api = true\n[tool.distutils.bdist_wheel]\npy-limited-api = "
      "'cp39'\n"
      "[tool.setuptools]\next-modules = [{name = 'a'}]\n[tool.maturin]\nbindings = 'pyo3'\n"
      "features = ['f']\nmanifest-path = 'rust/Cargo.toml'\n[tool.poetry]\nname = 'p'\nversion = "
      "'1'\n",
      "pyproject.toml");
  REQUIRE(read);
  CHECK(read->extras.at("test") == std::vector<std::string>{"pytest", "mock"});
  CHECK(read->groups.at("dev") == std::vector<std::string>{"ruff"});
  CHECK(read->scikit_build.base.py_api == "cp312");
  CHECK(read->meson_limited_api);
  CHECK(read->bdist_py_limited_api == "cp39");
  CHECK(read->setuptools_extensions);
  CHECK_FALSE(read->setuptools_packages);
  CHECK(parse_tool_tables("[tool.setuptools.packages.find]\nwhere = ['.']\n", "p")
            ->setuptools_packages);
  CHECK(parse_tool_tables("[tool.setuptools]\npy-modules = []\n", "p")->setuptools_packages);
  CHECK(read->maturin_bindings == "pyo3");
  CHECK(read->maturin_features == std::vector<std::string>{"f"});
  CHECK(read->maturin_manifest == "rust/Cargo.toml");
  CHECK(read->poetry_name == "p");
  CHECK(read->poetry_version == "1");
  CHECK(read->build_hook.empty());
}

TEST_CASE("hooks that may compile are named; those that write a version are not") {
  const auto hook = [](const char* text) {
    return parse_tool_tables(text, "pyproject.toml")->build_hook;
  };
  CHECK(hook("[tool.hatch.build.hooks.vcs]\nversion-file = 'v'\n").empty());
  CHECK(hook("[tool.hatch.build.targets.wheel.hooks.cython]\na = 1\n") == "hatch:cython");
  CHECK(hook("[tool.poetry.build]\nscript = 'b.py'\n") == "tool.poetry.build");
  CHECK(parse_tool_tables("[tool]\nmaturin = 3\n", "p")->maturin_bindings.empty());
}

TEST_CASE("what scikit-build-core and setuptools-rust are told to make") {
  const auto read = [](const char* text) { return *parse_tool_tables(text, "pyproject.toml"); };
  CHECK_FALSE(read("[tool.scikit-build]\nwheel.platlib = true\n").scikit_build.base.is_pure());
  CHECK(read("[tool.scikit-build]\nwheel.platlib = false\n").scikit_build.base.is_pure());
  CHECK(read("[tool.scikit-build.wheel]\ncmake = false\n").scikit_build.base.is_pure());
  CHECK(read("[tool.scikit-build]\ncmake.source-dir = 'src'\n").scikit_build.base.source_dir ==
        "src");
  CHECK_FALSE(read("[tool.setuptools-rust]\n").setuptools_rust);
  CHECK(read("[[tool.setuptools-rust.ext-modules]]\ntarget = 'a._a'\n").setuptools_rust);
  CHECK(read("[[tool.setuptools-rust.bins]]\ntarget = 'a'\n").setuptools_rust);
}

TEST_CASE("what the modules of setuptools link") {
  CHECK(parse_tool_tables("[[tool.setuptools.ext-modules]]\nname = 'a'\nlibraries = ['zfp']\n"
                          "extra-link-args = ['-lz', '-O2']\n",
                          "p")
            ->setuptools_libraries == std::vector<std::string>{"zfp", "z"});
}

}  // namespace
}  // namespace pinwheel::project
