#include "project/pyproject.h"

#include "unit/catch.h"

namespace pinwheel::project {
namespace {

TEST_CASE("the tables of the standards are read as written") {
  const auto read = parse_pyproject(
      "[build-system]\nrequires = ['scikit-build-core>=0.10', \"torch\"]\n"
      "build-backend = 'scikit_build_core.build'\n"
      "[project]\nname = 'My.Ops'\ndynamic = ['version']\nrequires-python = '>=3.10'\n"
      "dependencies = ['numpy>=2']\n[tool.x]\nother = 1 # \u00e9\n",
      "pyproject.toml");
  REQUIRE(read);
  CHECK(read->build_system.requires_ ==
        std::vector<std::string>{"scikit-build-core>=0.10", "torch"});
  CHECK(read->build_system.backend == "scikit_build_core.build");
  CHECK(read->name == "My.Ops");
  CHECK_FALSE(read->version);
  CHECK(read->dynamic_version);
  CHECK(read->requires_python == ">=3.10");
  CHECK(read->dependencies == std::vector<std::string>{"numpy>=2"});
}

TEST_CASE("a project without `[build-system]` has setuptools, as PEP 517 says") {
  const auto read = parse_pyproject("[project]\nname = 'a'\nversion = '1.0'\n", "pyproject.toml");
  REQUIRE(read);
  CHECK(read->build_system == BuildSystem{});
  CHECK(read->version == "1.0");
  CHECK(backend_of(read->build_system) == Backend::setuptools);
}

TEST_CASE("what the standards do not allow is an error with its line") {
  struct Case {
    const char* text;
    const char* message;
    int line;
  };
  for (const Case& each :
       {Case{"[build-system]\nrequires = 'x'\n", "`requires` must be a list of strings", 2},
        Case{"[project]\n\nname = 1\n", "`name` must be a string", 3},
        Case{"build-system = 1\n", "`build-system` must be a table", 1},
        Case{"[build-system]\nbuild-backend = 'x'\n",
             "`requires` must be a list of strings in `[build-system]` (PEP 518)", 1}}) {
    const auto read = parse_pyproject(each.text, "a/pyproject.toml");
    REQUIRE_FALSE(read);
    CHECK(read.error().kind == ErrorKind::config);
    CHECK(read.error().message == each.message);
    REQUIRE(read.error().at);
    CHECK(read.error().at->line == each.line);
  }
  const auto broken = parse_pyproject("a = \n", "pyproject.toml");
  REQUIRE_FALSE(broken);
  CHECK(broken.error().message.starts_with("invalid TOML: "));
  CHECK(parse_pyproject("\xff", "pyproject.toml").error().message ==
        "`pyproject.toml` is not UTF-8");
}

TEST_CASE("a backend is known by its module") {
  const auto backend = [](const std::string& reference) {
    return backend_of({.backend = reference});
  };
  CHECK(backend("mesonpy") == Backend::meson_python);
  CHECK(backend("maturin") == Backend::maturin);
  CHECK(backend("scikit_build_core.setuptools.build_meta") == Backend::scikit_build_core);
  CHECK(backend("poetry.core.masonry.api") == Backend::poetry);
  CHECK(backend("poetry_dynamic_versioning.backend") == Backend::other);
  CHECK(backend("setuptools.build_meta") == Backend::setuptools);
}

}  // namespace
}  // namespace pinwheel::project
