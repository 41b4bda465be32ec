#include "init/identity.h"

#include "unit/catch.h"

namespace pinwheel::init {
namespace {

using Entries = std::vector<std::pair<std::string, std::string>>;

const MatrixLine* line_of(const Identity& identity, const std::string& key) {
  for (const MatrixLine& line : identity.lines) {
    if (line.key == key) return &line;
  }
  return nullptr;
}

TEST_CASE("a static version is the project's, wherever it stands") {
  ProjectFacts facts;
  facts.directory = "checkout";
  facts.setup_py = project::SetupPy{.name = "demo", .version = "1.2"};
  const Identity identity = choose_identity(facts);
  CHECK(identity.name == "demo");
  REQUIRE(line_of(identity, "package.version") != nullptr);
  CHECK(line_of(identity, "package.version")->value == LineValue(Entries{{"from", "project"}}));
  CHECK(identity.left_out.empty());
  facts.setup_py->version = "not a version";
  CHECK_FALSE(static_version(facts));
}

TEST_CASE("without one, git tags are: the default ones, others by their beginning") {
  ProjectFacts facts;
  facts.pyproject = project::Pyproject{.name = "demo", .dynamic_version = true};
  facts.pyproject->build_system.requires_ = {"setuptools-scm>=8"};
  facts.tags = {"v1.0", "v1.1", "old-1"};
  CHECK(line_of(choose_identity(facts), "package.version") == nullptr);
  CHECK(choose_identity(facts).left_out.empty());
  facts.tags = {"release-1.0", "release-1.1", "nightly"};
  CHECK(line_of(choose_identity(facts), "package.version")->value ==
        LineValue(Entries{{"from", "git-tag"}, {"match", "release-*"}}));
  facts.tags = {"1.0"};
  CHECK(line_of(choose_identity(facts), "package.version")->value ==
        LineValue(Entries{{"from", "git-tag"}, {"match", "*"}}));
  facts.tags.reset();
  REQUIRE(choose_identity(facts).left_out.size() == 1);
  CHECK(choose_identity(facts).left_out[0].what == "the version");
}

TEST_CASE("a version that the project computes without tags is said") {
  ProjectFacts facts;
  facts.pyproject = project::Pyproject{.name = "demo", .dynamic_version = true};
  facts.tags = {"v1.0"};
  CHECK(choose_identity(facts).left_out.size() == 1);
}

TEST_CASE(
    "an sdist has its name and version from the requirement, a nameless project its directory") {
  ProjectFacts facts;
  facts.requirement = "torch-scatter==2.1.2";
  const Identity sdist = choose_identity(facts);
  CHECK(sdist.name == "torch-scatter");
  CHECK(line_of(sdist, "package.requirement")->value ==
        LineValue(std::string("torch-scatter==2.1.2")));
  CHECK(line_of(sdist, "package.source") == nullptr);
  facts = {};
  facts.directory = "here";
  CHECK(choose_identity(facts).name == "here");
}

}  // namespace
}  // namespace pinwheel::init
