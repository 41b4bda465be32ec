#include "project/version_place.h"

#include "project/toml_document.h"
#include "unit/catch.h"

namespace pinwheel::project {
namespace {

using Files = std::vector<std::string>;

std::optional<VersionPlace> place_in(const std::string& tables) {
  const std::string text = "[project]\nname = \"my-ops\"\ndynamic = [\"version\"]\n" + tables;
  return version_place(parse_toml(text, "pyproject.toml").value());
}

TEST_CASE("setuptools names an attribute or a file") {
  const auto attribute =
      place_in("[tool.setuptools.dynamic]\nversion = {attr = \"ops.about.V\"}\n");
  REQUIRE(attribute);
  CHECK(attribute->files == Files{"src/ops/about/__init__.py", "src/ops/about.py",
                                  "ops/about/__init__.py", "ops/about.py"});
  CHECK(attribute->variables == Files{"V"});
  const auto elsewhere = place_in(
      "[tool.setuptools]\npackage-dir = {\"\" = \"lib\"}\n[tool.setuptools.dynamic]\n"
      "version = {attr = \"ops.V\"}\n");
  CHECK(elsewhere->files.front() == "lib/ops/__init__.py");
  CHECK(place_in("[tool.setuptools.dynamic]\nversion = {file = [\"VERSION\"]}\n") ==
        VersionPlace{{"VERSION"}, {}});
}

TEST_CASE("other backends name a file") {
  CHECK(place_in("[tool.hatch.version]\npath = \"ops/about.py\"\n") ==
        VersionPlace{{"ops/about.py"}, {"__version__", "VERSION"}});
  CHECK(place_in("[tool.pdm.version]\nsource = \"file\"\npath = \"ops.py\"\n") ==
        VersionPlace{{"ops.py"}, {"__version__"}});
  CHECK(place_in("[tool.scikit-build.metadata.version]\nprovider = "
                 "\"scikit_build_core.metadata.regex\"\ninput = \"ops.py\"\n")
            ->files == Files{"ops.py"});
  CHECK(
      place_in("[build-system]\nrequires = []\nbuild-backend = \"flit_core.buildapi\"\n")->files ==
      Files{"my_ops/__init__.py", "my_ops.py", "src/my_ops/__init__.py", "src/my_ops.py"});
}

TEST_CASE("a version from git, of a pattern or static has no such place") {
  CHECK_FALSE(place_in("[tool.hatch.version]\nsource = \"vcs\"\n"));
  CHECK_FALSE(place_in("[tool.hatch.version]\npath = \"a.py\"\npattern = \"x\"\n"));
  CHECK_FALSE(place_in("[tool.setuptools_scm]\n"));
  CHECK_FALSE(version_place(
      parse_toml("[project]\nversion = \"1\"\n[tool.hatch.version]\npath = \"a.py\"\n", "p")
          .value()));
}

TEST_CASE("the literal that the variable is assigned is the version, a computed one is none") {
  const VersionPlace place{{}, {"__version__"}};
  CHECK(version_in("import os\n__version__ = \"1.0\"  # of this\n", place) == "1.0");
  CHECK(version_in("__version__: str = '1.1'\n", place) == "1.1");
  CHECK_FALSE(version_in("__version__ = read()\n", place));
  CHECK_FALSE(version_in("__version__ = '1' + x\n", place));
  CHECK_FALSE(version_in("if __version__ == '1':\n", place));
  CHECK_FALSE(version_in("__version_info__ = '1'\n", place));
  CHECK(version_in(" 1.2\n", VersionPlace{}) == "1.2");
}

}  // namespace
}  // namespace pinwheel::project
