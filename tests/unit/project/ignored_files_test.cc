#include "project/ignored_files.h"

#include "unit/catch.h"

using namespace pinwheel::project;

TEST_CASE("patterns match as in a .gitignore, and the last one decides") {
  const std::vector<std::string> patterns = {"/docs/",  "*.ipynb",  "benchmarks/",  "a/**/data",
                                             "src/x/*", "!src/x/y", "!docs/kept.md"};
  for (const char* path :
       {"docs/a.md", "docs/b/c.md", "notes.ipynb", "src/notes.ipynb", "benchmarks/a",
        "src/benchmarks/b/c", "a/data", "a/b/c/data", "a/b/data/x", "src/x/z", "src/x/d/e"}) {
    INFO(path);
    CHECK(is_ignored(patterns, path));
  }
  for (const char* path : {"src/docs/a.md", "docs", "docs/kept.md", "benchmarks", "b/data",
                           "src/x/y", "src/xx/z", "notes.ipynb.py"}) {
    INFO(path);
    CHECK_FALSE(is_ignored(patterns, path));
  }
  CHECK_FALSE(is_ignored({}, "a"));
}

TEST_CASE("tests, documentation and texts are in no wheel, unless something names them") {
  WheelInputs inputs{"tiny", {"CHANGES", "README.md", "docs/a.md", "news.py", "tests/a.py"}};
  inputs.builds["pyproject.toml"] =
      "[project]\nname = \"tiny\"\n[tool.pytest.ini_options]\ntestpaths = [\"tests\"]\n";
  const std::vector<std::string> patterns = not_in_wheels(inputs);
  for (const char* path : {"CHANGES", "README.md", "docs/a.md", "tests/a.py", ".github/x.yml"}) {
    INFO(path);
    CHECK(is_ignored(patterns, path));
  }
  for (const char* path : {"news.py", "tiny/README.md", "tiny/tests/a.py", "setup.py", "LICENSE"}) {
    INFO(path);
    CHECK_FALSE(is_ignored(patterns, path));
  }

  const auto is_included = [&](const std::string& build, const std::string& text,
                               const char* path) {
    WheelInputs changed = inputs;
    changed.builds[build] = text;
    return !is_ignored(not_in_wheels(changed), path);
  };
  CHECK(is_included("pyproject.toml", "[project]\nreadme = \"README.md\"\n", "README.md"));
  CHECK_FALSE(is_included("pyproject.toml", "[project]\nreadme = \"README.md\"\n", "tests/a.py"));
  CHECK_FALSE(
      is_included("pyproject.toml", "[project.urls]\ndocs = \"https://a/docs\"\n", "docs/a.md"));
  CHECK_FALSE(is_included(
      "pyproject.toml", "[tool.setuptools.packages.find]\nexclude = [\"tests*\"]\n", "tests/a.py"));
  CHECK(is_included("setup.py", "setup(long_description=open('README.md').read())", "README.md"));
  CHECK(is_included("CMakeLists.txt", "add_subdirectory(tests)\n", "tests/a.py"));
  CHECK(is_included("Cargo.toml", "[package]\n", "README.md"));
  inputs.commands = {"python", "{package}/docs/make.py"};
  CHECK_FALSE(is_ignored(not_in_wheels(inputs), "docs/a.md"));
}

TEST_CASE("a directory that setuptools finds as a package is part of the wheel") {
  WheelInputs inputs{"tiny", {"setup.py", "tests/__init__.py", "tests/a.py"}};
  inputs.builds["setup.py"] = "setup(packages=find_packages())";
  CHECK_FALSE(is_ignored(not_in_wheels(inputs), "tests/a.py"));
  inputs.builds["setup.py"] = "setup(packages=['tiny'])";
  CHECK(is_ignored(not_in_wheels(inputs), "tests/a.py"));
  inputs.name = "Docs";
  CHECK_FALSE(is_ignored(not_in_wheels(inputs), "docs/a.py"));
}

TEST_CASE("matrix files are no package, whatever setuptools finds at the top") {
  WheelInputs inputs{"tiny", {"tiny/a.py", "matrix/tiny.yaml", "matrix/tiny.locks/pylock.a.toml"}};
  CHECK(is_ignored(not_in_wheels(inputs), "matrix/tiny.yaml"));
  inputs.files.emplace_back("pinwheel.yaml");
  CHECK(is_ignored(not_in_wheels(inputs), "pinwheel.yaml"));
  CHECK(is_ignored(not_in_wheels(inputs), "pinwheel.locks/pylock.a.toml"));
  inputs.files.emplace_back("matrix/solve.py");
  CHECK_FALSE(is_ignored(not_in_wheels(inputs), "matrix/tiny.yaml"));
}
