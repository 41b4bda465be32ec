#include "init/abi_conflict.h"

#include "unit/catch.h"

namespace pinwheel::init {
namespace {

ProjectFacts project_of(const std::string& backend) {
  ProjectFacts facts;
  facts.pyproject = project::Pyproject{};
  facts.pyproject->build_system = {{"x"}, backend, {}};
  return facts;
}

/// "certain", "likely" or "none".
std::string certainty_of(const ProjectFacts& facts, const std::string& promised,
                         const std::vector<std::string>& pythons = {"3.10", "3.13"}) {
  const auto found = abi_conflict(facts, promised, pythons);
  if (!found) return "none";
  return found->certainty == Certainty::certain ? "certain" : "likely";
}

TEST_CASE("a wheel for one Python breaks the promise of several") {
  ProjectFacts facts = project_of("scikit_build_core.build");
  facts.cmake = project::CMakeLists{};
  CHECK(certainty_of(facts, "version") == "none");
  CHECK(certainty_of(facts, "none") == "certain");
  CHECK(certainty_of(facts, "limited(3.10)") == "certain");
  const auto found = abi_conflict(facts, "none", {"3.10"});
  REQUIRE(found);
  CHECK(found->message ==
        "`abi.python` promises `none`, but the build will make `version`: CMakeLists.txt compiles: "
        "one build for each Python");
  CHECK(found->hint == "write `abi: {python: version}`");
}

TEST_CASE("a wheel for more Pythons breaks a promise only where builds collide") {
  ProjectFacts facts = project_of("scikit_build_core.build");
  facts.tools.scikit_build.base.py_api = "cp310";
  CHECK(certainty_of(facts, "limited(3.10)") == "none");
  CHECK(certainty_of(facts, "limited(3.11)", {"3.11", "3.13"}) == "none");
  CHECK(certainty_of(facts, "limited(3.9)", {"3.9", "3.13"}) == "certain");
  CHECK(certainty_of(facts, "version") == "certain");
  CHECK(certainty_of(facts, "version", {"3.13"}) == "none");
  facts.tools.scikit_build.base.py_api = "cp312";
  CHECK(certainty_of(facts, "limited(3.12) else version") == "none");
  CHECK(certainty_of(facts, "version") == "none");
  CHECK(certainty_of(facts, "version", {"3.12", "3.13"}) == "certain");
}

TEST_CASE("what only code decides is likely, and what is not clear is nobody's promise") {
  ProjectFacts facts;
  facts.setup_py = project::SetupPy{.extensions = true};
  CHECK(certainty_of(facts, "none") == "likely");
  facts.setup_py->limited_api = true;
  CHECK(certainty_of(facts, "limited(3.10)") == "none");
  // Without its sources, a project may compile in ways that its build files do not show.
  CHECK(certainty_of(ProjectFacts{}, "version") == "none");
}

TEST_CASE("modules that are declared for one Python do not suit a wheel for several") {
  ProjectFacts facts = project_of("scikit_build_core.build");
  facts.tools.scikit_build.base.py_api = "cp310";
  facts.cmake = project::CMakeLists{.modules_for_one = {"m"}};
  const auto found = abi_conflict(facts, "limited(3.10)", {"3.10", "3.13"});
  REQUIRE(found);
  CHECK(found->certainty == Certainty::likely);
  CHECK(found->message ==
        "`abi.python` promises `limited(3.10)`, but CMakeLists.txt makes the module `m` for one "
        "Python");
  facts.cmake->modules_for_one.clear();
  CHECK(certainty_of(facts, "limited(3.10)") == "none");
  facts = {};
  facts.setup_cfg = project::SetupCfg{.py_limited_api = "cp310"};
  facts.setup_py = project::SetupPy{.extensions = true, .plain_extension = true};
  CHECK(certainty_of(facts, "limited(3.10)") == "likely");
}

}  // namespace
}  // namespace pinwheel::init
