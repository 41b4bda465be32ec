#include "prepare/plan_facts.h"

#include "unit/catch.h"

namespace pinwheel::prepare {
namespace {

TEST_CASE("version and build are the first facts of a plan") {
  VersionFacts version;
  version.version = {"1.2.0", "a tag on a dirty tree"};
  version.source_date_epoch = 7;
  version.commit = std::string(40, 'c');
  version.machine = "aarch64";
  const BuildFacts build{
      .package = {.source = {"/src", {}, "digest"}, .wheel_change = {"decaf", 5}},
      .family = {{"data", {.source = {"/data", {}, "other"}}}},
      .variables = {{"CC", "clang"}},
      .toolchain = "12.2.0"};
  const plan::PlanFacts facts = plan_facts(version, build);
  CHECK(facts.version.version == "1.2.0");
  CHECK(facts.version.unreleased == "a tag on a dirty tree");
  CHECK(facts.source_date_epoch == 7);
  CHECK(facts.commit == version.commit);
  CHECK(facts.wheel_change == plan::SourceChange{"decaf", 5});
  CHECK(facts.machine == "aarch64");
  CHECK(facts.source.digest == "digest");
  CHECK(facts.family.at("data").source.digest == "other");
  CHECK(facts.variables == build.variables);
  CHECK(facts.toolchain == "12.2.0");
}

TEST_CASE("a plan identifies an image by the key of its contents") {
  PreparedContainers containers;
  containers.images["settings"] = {"debian:12", {"sha256:1", "content key"}};
  containers.pythons["settings"].version = "3.11";
  const plan::PlanFacts facts = with_containers({}, containers);
  CHECK(facts.images == std::map<std::string, std::string>{{"settings", "content key"}});
  CHECK(facts.image_pythons.at("settings").version == "3.11");
}

TEST_CASE("a plan identifies packages by their digests") {
  Packages packages;
  packages.resolutions = {{"request", "resolution"}};
  packages.toolkits = {{"cuda", {"13.0.88"}}};
  const plan::PlanFacts facts = with_packages({}, packages);
  CHECK(facts.resolutions == packages.resolutions);
  CHECK(facts.toolkits.at("cuda").exact == "13.0.88");
}

}  // namespace
}  // namespace pinwheel::prepare
