#include "prepare/frozen_run.h"

#include "unit/catch.h"

namespace pinwheel::prepare {
namespace {

TEST_CASE("a frozen plan fixes the version, but not the branch and machine") {
  VersionFacts here;
  here.branch = "topic";
  here.machine = "x86_64";
  here.version = {"2.0.0", {}};
  plan::FrozenPlan frozen;
  frozen.channel = "release";
  frozen.targets = {"index"};
  frozen.version = {"1.2.0", {}};
  frozen.source_date_epoch = 7;
  frozen.commit = "c0ffee";
  const VersionFacts taken = frozen_version(here, frozen);
  CHECK(taken.channel == "release");
  CHECK(taken.targets == frozen.targets);
  CHECK(taken.version.version == "1.2.0");
  CHECK(taken.source_date_epoch == 7);
  CHECK(taken.commit == "c0ffee");
  CHECK(taken.branch == "topic");
  CHECK(taken.machine == "x86_64");
}

TEST_CASE("only pinned images are compared") {
  const UsedImages used = {{"same", {"debian:12", {"sha256:1", "key"}}},
                           {"other", {"ubuntu:24.04", {"sha256:2", "key"}}},
                           {"new", {"alpine", {"sha256:3", "key"}}}};
  PinnedImages pinned;
  for (const auto& [settings, image] : used) {
    if (settings != "new") pinned[settings] = {image.base, image.image.base_id, {}, "key"};
  }
  CHECK(other_images(used, pinned).empty());
  pinned.at("other").key = "another key";
  const std::vector<Error> errors = other_images(used, pinned);
  REQUIRE(errors.size() == 1);
  CHECK(errors[0].kind == ErrorKind::drift);
  CHECK(errors[0].message.find("ubuntu:24.04") != std::string::npos);
}

}  // namespace
}  // namespace pinwheel::prepare
