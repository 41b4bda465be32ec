#include "init/from_cibuildwheel.h"

#include <algorithm>
#include <fstream>

#include "base/text.h"
#include "unit/catch.h"
#include "unit/source_tree_path.h"

namespace pinwheel::init {
namespace {

using Texts = std::vector<std::string>;
using Entries = std::vector<std::pair<std::string, std::string>>;

/// A project with these options in its pyproject.toml.
ProjectFacts with_options(const std::string& toml) {
  ProjectFacts facts;
  const std::string text = "[tool.cibuildwheel]\n" + toml;
  facts.cibuildwheel = *project::parse_cibuildwheel(text, "pyproject.toml");
  return facts;
}

FromCibuildwheel translated(const std::string& toml) {
  return translate_cibuildwheel(with_options(toml), {"3.10", "3.12"});
}

TEST_CASE("tests: command, requirements, sources") {
  const FromCibuildwheel got = translated(
      "test-command = 'python -m pytest tests/a.py'\ntest-sources = ['tests']\n"
      "test-requires = 'pytest>=8 mock'\n");
  CHECK(got.test_command == Texts{"python", "-m", "pytest", "{project}/tests/a.py"});
  CHECK(got.test_requires == Texts{"pytest>=8", "mock"});
  CHECK(got.left_out.empty());
}

TEST_CASE("options of pip are no requirements") {
  const FromCibuildwheel got = translated("test-requires = '-r tests/requirements.txt'\n");
  CHECK(got.test_requires.empty());
  REQUIRE(got.left_out.size() == 1);
  CHECK(got.left_out[0].why == "`-r tests/requirements.txt` is no requirement: list the packages");
}

TEST_CASE("extras and groups are looked up") {
  ProjectFacts facts = with_options("test-extras = ['test', 'gone']\ntest-groups = ['dev']\n");
  facts.tools.extras["test"] = {"pytest"};
  facts.tools.groups["dev"] = {"ruff"};
  const FromCibuildwheel got = translate_cibuildwheel(facts, {"3.12"});
  CHECK(got.test_requires == Texts{"pytest", "ruff"});
  REQUIRE(got.left_out.size() == 1);
  CHECK(got.left_out[0].why == "`gone` was not found as a literal list");
}

TEST_CASE("environment, settings, image and packages of the build") {
  const FromCibuildwheel got = translated(
      "environment = {A = '1', PATH = '$PATH:/x'}\nconfig-settings = {x = 'y'}\n"
      "manylinux-x86_64-image = 'manylinux_2_28'\nbefore-build = 'pip install numpy'\n");
  CHECK(got.variables == Entries{{"A", "1"}});
  CHECK(got.config_settings == Entries{{"x", "y"}});
  CHECK(got.image == "quay.io/pypa/manylinux_2_28_x86_64");
  CHECK(got.build_requires == Texts{"numpy"});
  REQUIRE(got.left_out.size() == 1);
  CHECK(got.left_out[0].why == "`PATH` is `$PATH:/x`, which a shell computes");
}

TEST_CASE("what a repair excludes stays out of the wheel") {
  const FromCibuildwheel got = translated(
      "repair-wheel-command = ['auditwheel repair --exclude liba.so.1 -w {dest_dir} {wheel}']\n");
  CHECK(got.external == Texts{"liba.so.1"});
  CHECK(got.repair_from == "pyproject.toml");
  CHECK_FALSE(got.repairs_nothing);
  CHECK(got.left_out.empty());
  CHECK(translated("repair-wheel-command = ''\n").repairs_nothing);
  const FromCibuildwheel own = translated("repair-wheel-command = 'sh fix.sh {wheel}'\n");
  REQUIRE(own.left_out.size() == 1);
  CHECK(own.left_out[0].why.find("can do the rest: `sh fix.sh {wheel}`") != std::string::npos);
}

TEST_CASE("whatever has no counterpart is listed with the reason") {
  const FromCibuildwheel got = translated(
      "before-all = 'yum install -y zlib-devel'\nrepair-wheel-command = 'x'\narchs = ['aarch64', "
      "'native']\nmusllinux-x86_64-image = 'm'\nunheard = 1\nbuild = 'cp312-*'\nbefore-build = "
      "'make'\n"
      "[[tool.cibuildwheel.overrides]]\nselect = '*-musllinux*'\nbefore-all = 'x'\n"
      "[[tool.cibuildwheel.overrides]]\nselect = 'cp310-*'\ntest-command = 'x'\n");
  CHECK(got.left_out.size() == 7);
  const auto why = [&](const std::string& what) {
    for (const LeftOut& one : got.left_out) {
      if (one.what.find(what) != std::string::npos) return one.why;
    }
    return std::string("missing");
  };
  CHECK(why("`before-all`") == "packages of the system: `apt-get install zlib1g-dev`");
  CHECK(why("`archs`").starts_with("`aarch64`"));
  CHECK(why("`unheard`") == "pinwheel does not know this option");
  CHECK(why("`before-build`").find("`make`") != std::string::npos);
  CHECK(why("*-musllinux*") == "they select nothing of this matrix");
  CHECK(why("cp310-*") == "write `test-command` into `overrides` of the matrix");
}

/// The options in the first column of the table in the cookbook, as a file can have them.
Texts options_of_cookbook() {
  std::ifstream in(in_source_tree("docs/cookbook.md"));
  std::string line;
  while (std::getline(in, line) && line != "## From cibuildwheel") {
  }
  Texts options;
  while (std::getline(in, line) && !line.starts_with("## ")) {
    if (!line.starts_with("| `")) continue;
    const std::string column = line.substr(2, line.find(" | ") - 2);
    for (std::string name : split(column, ',')) {
      name = replace_all(std::string(trim(name)), "`", "");
      options.push_back(replace_all(name, "*", "x86_64"));
    }
  }
  return options;
}

TEST_CASE("init knows every option of the cookbook's table") {
  // Arguments of its command line, and other platforms, which are not read from a file.
  const Texts elsewhere = {"only",           "print-build-identifiers",
                           "config-file",    "package-dir",
                           "clean-cache",    "macos-x86_64",
                           "ios-x86_64",     "android-x86_64",
                           "windows-x86_64", "overrides"};
  const Texts options = options_of_cookbook();
  CHECK(options.size() > 30);
  for (const std::string& option : options) {
    if (std::ranges::find(elsewhere, option) != elsewhere.end()) continue;
    INFO(option);
    for (const LeftOut& one : translated(option + " = 'x'\n").left_out) {
      CHECK(one.why != "pinwheel does not know this option");
    }
  }
}

}  // namespace
}  // namespace pinwheel::init
