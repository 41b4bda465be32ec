#include "prepare/no_target.h"

#include <string>
#include <utility>
#include <vector>

#include "unit/catch.h"

namespace pinwheel::prepare {
namespace {

matrix::Matrix with_channels(std::vector<std::string> channels) {
  matrix::Matrix matrix;
  matrix.file = "m.yaml";
  for (std::string& name : channels) {
    matrix::ChannelSettings channel;
    channel.name = std::move(name);
    matrix.channels.push_back(std::move(channel));
  }
  return matrix;
}

std::string message(const matrix::Matrix& matrix, const std::string& channel,
                    const DefaultChannel& default_channel) {
  VersionFacts version;
  version.channel = channel;
  version.default_channel = default_channel;
  return no_target(matrix, version).message;
}

TEST_CASE("the error of a release without a target has the channel and its setting in the matrix") {
  const matrix::Matrix matrix = with_channels({"ci", "nightly"});
  const DefaultChannel tagged{"release", "tag `v1.0` is on HEAD"};
  const DefaultChannel untagged{"ci", "no tag of a version is on HEAD"};
  CHECK(message(matrix, "nightly", {}) == "channel `nightly` of `m.yaml` publishes nowhere");
  CHECK(message(matrix, "", tagged) ==
        "the channel is `release`, since tag `v1.0` is on HEAD, and `m.yaml` declares only `ci`, "
        "`nightly`");
  CHECK(message(with_channels({}), "", tagged) ==
        "the channel is `release`, since tag `v1.0` is on HEAD, and `m.yaml` declares no channels");
  CHECK(message(matrix, "ci", untagged) ==
        "the channel is `ci`, since no tag of a version is on HEAD, and it publishes nowhere in "
        "`m.yaml`");
}

TEST_CASE("the hint is the line to write, with the targets that the matrix declares") {
  matrix::Matrix matrix = with_channels({"ci"});
  VersionFacts version;
  version.default_channel = {"release", "tag `v1.0` is on HEAD"};
  CHECK(no_target(matrix, version).hint.starts_with("write `release: {publish: [TARGET]}` below"));
  for (const char* name : {"testpypi", "pypi"}) {
    matrix::PublishTarget target;
    target.name = name;
    matrix.targets.push_back(std::move(target));
  }
  CHECK(no_target(matrix, version)
            .hint.starts_with("write `release: {publish: [testpypi, pypi]}` below `channels`"));
}

TEST_CASE("a frozen plan without a target names its own channel, not that of the commit") {
  plan::FrozenPlan plan;
  CHECK(no_target(plan).message == "the plan was frozen in no channel, and has no target");
  plan.channel = "nightly";
  CHECK(no_target(plan).message == "the plan was frozen in channel `nightly`, and has no target");
}

}  // namespace
}  // namespace pinwheel::prepare
