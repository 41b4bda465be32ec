#include "prepare/check_channels.h"

#include <string>

#include "unit/prepare/matrix_world.h"

namespace pinwheel::prepare {
namespace {

constexpr const char* kManyChannels = R"(
schema: pinwheel/1
package: {name: demo, source: .}
axes:
  python: ["3.11"]
  flavor: [plain, loud]
abi: {python: none}
channels:
  one: {select: {flavor: plain}, publish: [plain-index]}
  all: {publish: [plain-index]}
  empty: {select: {flavor: none-of-them}, publish: [plain-index]}
  nowhere: {publish: []}
publish:
  plain-index: {kind: directory, path: dist}
)";

const plan::ReleaseVersion kVersion{kAnyVersion, ""};

TEST_CASE("a channel is checked by its name, and one that publishes nothing needs no names") {
  fakes::FakeHost fake;
  const Loaded loaded = loaded_from(fake, kManyChannels);
  CHECK(check_channels(loaded, "one", kVersion));
  CHECK(check_channels(loaded, "nowhere", kVersion));
  CHECK(check_channels(loaded, "unknown", kVersion));
}

TEST_CASE("a channel whose wheels have one name is an error at its place") {
  fakes::FakeHost fake;
  const Loaded loaded = loaded_from(fake, kManyChannels);
  const Done checked = check_channels(loaded, "", kVersion);
  REQUIRE_FALSE(checked);
  CHECK(checked.error().kind == ErrorKind::config);
  CHECK(checked.error().message.starts_with("channel `all` cannot be planned: "));
  CHECK(checked.error().at);
  const Done empty = check_channels(loaded, "empty", kVersion);
  REQUIRE_FALSE(empty);
  CHECK(empty.error().kind == ErrorKind::nothing_selected);
}

TEST_CASE("only a version that pinwheel derives can be dated") {
  matrix::ChannelSettings channel;
  channel.name = "nightly";
  channel.nightly_version = true;
  matrix::Package package;
  package.version.from = matrix::VersionFrom::git_tag;
  CHECK(check_dated_version(package, channel));
  package.version.from = matrix::VersionFrom::calver;
  CHECK(check_dated_version(package, channel));
  for (const matrix::VersionFrom from : {matrix::VersionFrom::project, matrix::VersionFrom::file}) {
    package.version.from = from;
    const Done checked = check_dated_version(package, channel);
    REQUIRE_FALSE(checked);
    CHECK(checked.error().kind == ErrorKind::config);
  }
  package.requirement = "demo==1.0";
  CHECK(check_dated_version(package, channel));
  package.requirement = "";
  channel.nightly_version = false;
  CHECK(check_dated_version(package, channel));
}

}  // namespace
}  // namespace pinwheel::prepare
