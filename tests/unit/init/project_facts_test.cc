#include "init/project_facts.h"

#include "unit/catch.h"

namespace pinwheel::init {
namespace {

using Texts = std::vector<std::string>;

TEST_CASE("the first file that says something wins") {
  ProjectFacts facts;
  CHECK(build_requires(facts) == Texts{"setuptools>=40.8.0"});
  CHECK(requires_python(facts).empty());
  facts.package_info = {"demo", "1.0", ">=3.8", {"numpy"}, {"A"}};
  facts.setup_py = project::SetupPy{.python_requires = ">=3.9", .setup_requires = {"cffi"}};
  CHECK(requires_python(facts) == ">=3.9");
  CHECK(build_requires(facts) == Texts{"setuptools>=40.8.0", "cffi"});
  CHECK(dependencies(facts) == Texts{"numpy"});
  CHECK(classifiers(facts) == Texts{"A"});
  facts.pyproject = project::Pyproject{.requires_python = ">=3.11", .dependencies = {"attrs"}};
  CHECK(requires_python(facts) == ">=3.11");
  CHECK(dependencies(facts) == Texts{"attrs"});
}

TEST_CASE("requirements are found by normalized name") {
  CHECK(requirements_on({"Setuptools_SCM[toml]>=8", "torch; python_version > '3'", "?"},
                        "setuptools-scm") == Texts{"Setuptools_SCM[toml]>=8"});
}

TEST_CASE("setuptools looks for packages at the top where no file lists them") {
  ProjectFacts facts;
  facts.top_level = {"demo", "pyproject.toml"};
  CHECK(has_flat_discovery(facts));
  facts.setup_py = project::SetupPy{.extensions = true};
  CHECK_FALSE(has_flat_discovery(facts));
  facts.pyproject = project::Pyproject{.name = "demo"};
  CHECK(has_flat_discovery(facts));
  facts.setup_py = project::SetupPy{.packages = true};
  CHECK_FALSE(has_flat_discovery(facts));
  facts.setup_py->packages = false;
  facts.setup_cfg = project::SetupCfg{.packages = true};
  CHECK_FALSE(has_flat_discovery(facts));
  facts.setup_cfg = {};
  facts.tools.setuptools_packages = true;
  CHECK_FALSE(has_flat_discovery(facts));
  facts.tools.setuptools_packages = false;
  facts.top_level.emplace_back("src");
  CHECK_FALSE(has_flat_discovery(facts));
  facts.top_level.pop_back();
  facts.pyproject->build_system.backend = "hatchling.build";
  CHECK_FALSE(has_flat_discovery(facts));
}

TEST_CASE("extras of whichever file has them") {
  ProjectFacts facts;
  facts.setup_cfg = project::SetupCfg{.extras = {{"test", {"pytest"}}}};
  CHECK(extra_requires(facts, "test") == Texts{"pytest"});
  CHECK(extra_requires(facts, "docs").empty());
}

}  // namespace
}  // namespace pinwheel::init
