#include "init/abi_conflict.h"

#include "unit/catch.h"

namespace pinwheel::init {
namespace {

pep::Version planned(const char* text) {
  return pep::parse_version(text).value();
}

ProjectFacts with_standard(const char* version) {
  ProjectFacts facts;
  facts.pyproject = project::Pyproject{.name = "demo", .version = version};
  return facts;
}

ProjectFacts with_setup_py(std::string_view text) {
  ProjectFacts facts;
  facts.setup_py = project::parse_setup_py(text);
  return facts;
}

TEST_CASE("versions that are equal by PEP 440 do not contradict each other") {
  CHECK_FALSE(version_conflict(with_standard("1.0"), planned("1.0.0")));
  CHECK_FALSE(version_conflict(with_standard("1.0-rc1"), planned("1.0.0rc1")));
  CHECK_FALSE(version_conflict(with_standard("1.0+local"), planned("1.0")));
  CHECK_FALSE(version_conflict(ProjectFacts{}, planned("1.0")));
}

TEST_CASE("a literal of the standard contradicts for certain, whatever reads tags") {
  ProjectFacts facts = with_standard("1.0");
  facts.pyproject->build_system.requires_ = {"setuptools-scm>=8"};
  const auto conflict = version_conflict(facts, planned("1.0.1"));
  REQUIRE(conflict);
  CHECK(conflict->project_version.version == "1.0");
  CHECK(conflict->project_version.file == "pyproject.toml");
  CHECK(conflict->certainty == Certainty::certain);
}

TEST_CASE("a literal in the call of setup is certain, one behind a name is likely") {
  const auto direct = version_conflict(with_setup_py("setup(version='1.0')\n"), planned("2.0"));
  REQUIRE(direct);
  CHECK(direct->certainty == Certainty::certain);
  const auto named = version_conflict(
      with_setup_py("v = '1.0'\nif X:\n    v = read()\nsetup(version=v)\n"), planned("2.0"));
  REQUIRE(named);
  CHECK(named->certainty == Certainty::likely);
}

TEST_CASE("setup.cfg is certain, unless setup.py passes what is not read") {
  ProjectFacts facts = with_setup_py("setup()\n");
  facts.setup_cfg = project::SetupCfg{.version = "1.0"};
  CHECK(version_conflict(facts, planned("2.0"))->certainty == Certainty::certain);
  facts.setup_py = project::parse_setup_py("setup(version=read())\n");
  CHECK(version_conflict(facts, planned("2.0"))->certainty == Certainty::likely);
}

TEST_CASE("a project that takes the version from tags, variables or an old PKG-INFO says none") {
  ProjectFacts tags = with_setup_py("setup(version='0.0.0', use_scm_version=True)\n");
  tags.setup_py->setup_requires = {"setuptools_scm"};
  CHECK_FALSE(version_conflict(tags, planned("2.0")));
  CHECK_FALSE(version_conflict(
      with_setup_py("v = '1.0'\nv = os.environ.get('PINWHEEL_VERSION', v)\nsetup(version=v)\n"),
      planned("2.0")));
  ProjectFacts poetry;
  poetry.pyproject = project::Pyproject{};
  poetry.pyproject->build_system.requires_ = {"poetry-dynamic-versioning"};
  poetry.tools.poetry_version = "0.0.0";
  CHECK_FALSE(version_conflict(poetry, planned("2.0")));
  ProjectFacts old;
  old.package_info.version = "1.0";
  CHECK_FALSE(version_conflict(old, planned("2.0")));
}

}  // namespace
}  // namespace pinwheel::init
