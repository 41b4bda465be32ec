#include "project/scikit_build.h"

#include "project/toml_document.h"
#include "unit/catch.h"

namespace pinwheel::project {
namespace {

ScikitBuild table(const std::string& text) {
  return read_scikit_build(*parse_toml("[tool.scikit-build]\n" + text, "pyproject.toml"));
}

/// An override with this condition that turns CMake off.
ScikitBuildOutcomes with_condition(const std::string& condition, ScikitBuildSite site = {}) {
  if (site.python.empty()) site.python = "3.12";
  return scikit_build_outcomes(
      table("[[tool.scikit-build.overrides]]\n" + condition + "\nwheel.cmake = false\n"), site);
}

/// "off" if the override applies, "on" if it does not, "both" if that is unknown.
std::string cmake_if(const std::string& condition, const ScikitBuildSite& site = {}) {
  const ScikitBuildOutcomes outcomes = with_condition(condition, site);
  if (outcomes.possible.size() > 1) return "both";
  return outcomes.possible.at(0).cmake ? "on" : "off";
}

TEST_CASE("conditions that are the same in every build on Linux") {
  CHECK(cmake_if("if.platform-system = '^linux'") == "off");
  CHECK(cmake_if("if.platform-system = 'win32|darwin'") == "on");
  CHECK(cmake_if("if.platform-system = 'win.*|lin.*x$'") == "off");
  CHECK(cmake_if("if.implementation-name = 'pypy'") == "on");
  CHECK(cmake_if("if.state = 'editable'") == "on");
  CHECK(cmake_if("if.state = '^wheel$'") == "off");
  CHECK(cmake_if("if.failed = true") == "on");
  CHECK(cmake_if("if.cmake-wheel = true") == "off");
  CHECK(cmake_if("if.system-cmake = '>=3.15'") == "off");
  CHECK(cmake_if("if.system-cmake = '<3.15'") == "on");
  CHECK(cmake_if("if.system-cmake = '<4'") == "both");
}

TEST_CASE("conditions about a Python, its variables and its source") {
  CHECK(cmake_if("if.python-version = '>=3.12'") == "off");
  CHECK(cmake_if("if.python-version = '<3.12'") == "on");
  CHECK(cmake_if("if.python-version = '>=3.14'", {.python = "3.14t"}) == "off");
  CHECK(cmake_if("if.abi-flags = 't'") == "on");
  CHECK(cmake_if("if.abi-flags = 't'", {.python = "3.14t"}) == "off");
  CHECK(cmake_if("if.implementation-version = '>=3.12.4'") == "both");
  CHECK(cmake_if("if.env.FAST = true") == "on");
  CHECK(cmake_if("if.env.FAST = false") == "off");
  CHECK(cmake_if("if.env.FAST = '^2$'", {.variables = {{"FAST", "2"}}}) == "off");
  CHECK(cmake_if("if.env.CC = 'clang'") == "both");
  CHECK(cmake_if("if.from-sdist = true") == "on");
  CHECK(cmake_if("if.from-sdist = true", {.from_sdist = true}) == "off");
  CHECK(cmake_if("if.platform-machine = '64'") == "off");
  CHECK(cmake_if("if.platform-machine = 'arm'") == "on");
  CHECK(cmake_if("if.platform-machine = 'x86_64'") == "both");
  CHECK(cmake_if("if.platform-node = 'builder'") == "both");
  CHECK(cmake_if("if.platform-system = '[lL]inux'") == "both");
  CHECK(cmake_if("if.scikit-build-version = '>=0.10'",
                 {.requirement = "scikit-build-core>=0.11"}) == "off");
  CHECK(cmake_if("if.scikit-build-version = '>=0.12'",
                 {.requirement = "scikit-build-core>=0.11"}) == "both");
}

TEST_CASE("all conditions must hold, one of `any`, none of `not`") {
  CHECK(cmake_if("if.python-version = '>=3.12'\nif.env.A = true") == "on");
  CHECK(cmake_if("if.any.env.A = true\nif.any.python-version = '>=3.12'") == "off");
  CHECK(cmake_if("if.any.env.A = true\nif.any.env.B = true") == "on");
  CHECK(cmake_if("if.not.python-version = '>=3.13'") == "off");
  CHECK(cmake_if("if.not.python-version = '>=3.12'") == "on");
  // Unknown conditions do not matter if the others decide.
  CHECK(cmake_if("if.any.platform-node = 'a'\nif.any.python-version = '>=3.12'") == "off");
  CHECK(with_condition("if.any.platform-node = 'a'\nif.any.env.A = true").undecided ==
        std::vector<std::string>{"platform-node"});
}

TEST_CASE("a later override wins, and one that changes nothing leaves nothing open") {
  const ScikitBuild two = table(
      "wheel.py-api = 'cp312'\n[[tool.scikit-build.overrides]]\nif.python-version = '>=3.9'\n"
      "wheel.py-api = 'cp39'\n[[tool.scikit-build.overrides]]\nif.abi-flags = 't'\nwheel.py-api = "
      "''\n");
  const auto py_api = [&two](const char* python) {
    return scikit_build_outcomes(two, {.python = python}).possible.at(0).py_api;
  };
  CHECK(py_api("3.12") == "cp39");
  CHECK(py_api("3.8") == "cp312");
  CHECK(py_api("3.14t").empty());
  const ScikitBuildOutcomes same = scikit_build_outcomes(
      table("[[tool.scikit-build.overrides]]\nif.platform-node = 'a'\nwheel.cmake = true\n"),
      {.python = "3.12"});
  CHECK(same.possible.size() == 1);
  CHECK(same.undecided.empty());
}

TEST_CASE("definitions of an override replace those of the table, or are added") {
  const std::string base = "cmake.define.A = 'ON'\n[[tool.scikit-build.overrides]]\n";
  const std::string change = "if.cmake-wheel = true\ncmake.define.B = true\n";
  const auto defines = [](const std::string& text) {
    return scikit_build_outcomes(table(text), {.python = "3.12"}).possible.at(0).defines;
  };
  using Defines = std::map<std::string, std::string>;
  CHECK(defines(base + change) == Defines{{"B", "true"}});
  CHECK(defines(base + change + "inherit.cmake.define = 'append'\n") ==
        Defines{{"A", "ON"}, {"B", "true"}});
}

}  // namespace
}  // namespace pinwheel::project
