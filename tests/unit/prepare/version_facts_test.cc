#include "prepare/version_facts.h"

#include <string>
#include <vector>

#include "plan/promotion.h"
#include "unit/prepare/matrix_world.h"

namespace pinwheel::prepare {
namespace {

constexpr const char* kChannelYaml = R"(
schema: pinwheel/1
package: {name: demo, source: .}
axes:
  python: ["3.11"]
  flavor: [plain, loud]
abi: {python: none}
channels:
  release: {publish: [index]}
  nightly-all: {version: nightly, publish: [index]}
  quiet: {publish: []}
publish:
  index: {kind: directory, path: dist, label: "{flavor}"}
)";

/// A checkout with a tag before HEAD.
struct VersionWorld {
  fakes::FakeHost fake;
  std::string yaml = kChannelYaml;
  std::string channel = {};
  std::vector<std::string> targets = {};
  uint64_t build = 0;

  VersionWorld() { fake.git.known = checkout_facts(); }

  /// Lets the version come from somewhere else: "file, file: VERSION".
  void take_from(const std::string& source) {
    yaml.replace(yaml.find("source: ."), 9, "source: ., version: {from: " + source + "}");
  }
  Result<VersionFacts> gather() {
    return gather_version_facts(fake.host, loaded_from(fake, yaml), channel, targets, build,
                                fake.notices.log());
  }
  VersionFacts facts() {
    Result<VersionFacts> facts = gather();
    INFO((facts ? std::string() : render(facts.error())));
    REQUIRE(facts);
    return *std::move(facts);
  }
  Error refused() {
    const Result<VersionFacts> facts = gather();
    REQUIRE_FALSE(facts);
    return facts.error();
  }
};

TEST_CASE("a version has the commit, the branch and the date of its checkout") {
  VersionWorld world;
  world.fake.git.known->dirty = true;
  const VersionFacts facts = world.facts();
  CHECK(facts.commit == std::string(40, 'a'));
  CHECK(facts.branch == "main");
  CHECK(facts.dirty);
  CHECK(facts.source_date_epoch == 1'700'000'000);
  CHECK_FALSE(facts.machine.empty());
  CHECK_FALSE(facts.tag);
}

TEST_CASE("the default channel follows from the tag on HEAD, if the matrix has it") {
  VersionWorld world;
  const VersionFacts between = world.facts();
  CHECK(between.channel.empty());
  CHECK(between.default_channel.why == "no tag of a version is on HEAD");
  CHECK(between.targets.empty());
  CHECK_FALSE(between.publishes_nowhere);
  world.fake.git.known->tags = {{"v1.2.0", 0}};
  const VersionFacts tagged = world.facts();
  CHECK(tagged.channel == "release");
  CHECK(tagged.default_channel.why == "tag `v1.2.0` is on HEAD");
  CHECK(tagged.version.version == "1.2.0");
  CHECK(tagged.targets == std::vector<std::string>{"index"});
}

TEST_CASE("a channel that is named needs no tag, and has no reason") {
  VersionWorld world;
  world.channel = "quiet";
  const VersionFacts facts = world.facts();
  CHECK(facts.channel == "quiet");
  CHECK(facts.default_channel.name.empty());
  CHECK(facts.targets.empty());
  CHECK(facts.publishes_nowhere);
}

TEST_CASE("the build number is that of the command line, else that of the tag on HEAD") {
  VersionWorld world;
  world.fake.git.known->tags = {{"v1.2.0", 0}, {"v1.2.0-r2", 0}};
  world.take_from("git-tag, recut: true");
  VersionFacts facts = world.facts();
  CHECK(facts.version == plan::ReleaseVersion{"1.2.0", "", 2});
  CHECK(facts.channel == "release");
  CHECK(facts.release_tag == "v1.2.0-r2");
  CHECK(recut_line(facts.version) == "re-cut of version 1.2.0: its wheels have build number 2\n");
  world.build = 5;
  facts = world.facts();
  CHECK(facts.version.build == 5);
  CHECK(facts.release_tag == "v1.2.0-r5");
  world.build = 0;
  world.yaml = kChannelYaml;
  CHECK(world.facts().version == plan::ReleaseVersion{"1.2.0.post2", "", 0});
  CHECK(recut_line(world.facts().version).empty());
}

TEST_CASE("a version in a file has the build number of a tag of that version") {
  VersionWorld world;
  world.take_from("file, file: VERSION, recut: true");
  world.fake.files.put("VERSION", "3.1\n");
  world.fake.git.known->tags = {{"v3.1-r4", 0}};
  CHECK(world.facts().version.build == 4);
  world.fake.git.known->dirty = true;
  CHECK(world.facts().version.build == 0);
  world.fake.git.known->dirty = false;
  world.fake.files.put("VERSION", "3.2\n");
  CHECK(world.facts().version.build == 0);
}

TEST_CASE("a nightly has no build number") {
  VersionWorld world;
  world.fake.git.known->tags = {{"v1.2.0-r2", 0}};
  world.take_from("git-tag, recut: true");
  world.channel = "nightly-all";
  CHECK(world.facts().version.build == 0);
  world.build = 1;
  const Error refused = world.refused();
  CHECK(refused.kind == ErrorKind::usage);
  CHECK(refused.message == "`--build-number 1` cannot be used for a nightly");
}

TEST_CASE("targets of the command line are published to, also by a channel without any") {
  VersionWorld world;
  world.channel = "quiet";
  world.targets = {"index"};
  CHECK(world.facts().targets == std::vector<std::string>{"index"});
  CHECK_FALSE(world.facts().publishes_nowhere);
}

TEST_CASE("the date is SOURCE_DATE_EPOCH, else the commit's, else the first of a zip") {
  VersionWorld world;
  world.take_from("file, file: VERSION");
  world.fake.files.put("VERSION", "3.1\n");
  world.fake.host.variables["SOURCE_DATE_EPOCH"] = "77";
  CHECK(world.facts().source_date_epoch == 77);
  world.fake.host.variables["SOURCE_DATE_EPOCH"] = "";
  CHECK(world.facts().source_date_epoch == 1'700'000'000);
  world.fake.git.known = fail(ErrorKind::environment, "no repository");
  CHECK(world.facts().source_date_epoch == 315532800);
  world.fake.host.variables["SOURCE_DATE_EPOCH"] = "today";
  const Error refused = world.refused();
  CHECK(refused.kind == ErrorKind::config);
  CHECK(refused.message ==
        "SOURCE_DATE_EPOCH is `today`, which is not a number of seconds since 1970");
}

TEST_CASE("outside git a version comes from anything but tags") {
  VersionWorld world;
  world.fake.git.known = fail(ErrorKind::environment, "no repository");
  CHECK(world.refused().message == "no repository");
  world.take_from("file, file: VERSION");
  world.fake.files.put("VERSION", "3.1\n");
  const VersionFacts facts = world.facts();
  CHECK(facts.version.version == "3.1");
  CHECK(facts.commit.empty());
  CHECK(facts.default_channel.why == "the version comes from no tag");
}

TEST_CASE("a package that its repository ignores is an error wherever its version comes from") {
  VersionWorld world;
  world.take_from("file, file: VERSION");
  world.fake.files.put("VERSION", "3.1\n");
  world.fake.git.known->tracks_directory = false;
  CHECK(world.refused().kind == ErrorKind::config);
  world.fake.git.tracked.untracked = {"VERSION"};
  CHECK(world.facts().commit.empty());
}

TEST_CASE("a third-party sdist has its pinned version, and git is not asked") {
  VersionWorld world;
  world.yaml.replace(world.yaml.find("source: ."), 9, "requirement: \"demo==2.5\"");
  const VersionFacts facts = world.facts();
  CHECK(facts.version.version == "2.5");
  CHECK(facts.commit.empty());
  CHECK(world.fake.git.asked == 0);
}

TEST_CASE(
    "a version in a file cannot be dated for a channel, which is an error before it is read") {
  VersionWorld world;
  world.take_from("file, file: VERSION");
  world.channel = "nightly-all";
  const Error refused = world.refused();
  CHECK(refused.kind == ErrorKind::config);
  CHECK(refused.message.starts_with("`version: nightly` needs a version that can be dated"));
  CHECK(refused.at);
}

TEST_CASE("a nightly version has the day of its run") {
  VersionWorld world;
  world.channel = "nightly-all";
  CHECK(world.facts().version.version == "1.3.0.dev20260102");
}

TEST_CASE("only a version from the project's files has a tag to be compared with") {
  const ports::GitFacts git = [] {
    ports::GitFacts facts = checkout_facts();
    facts.tags = {{"v1.2.0", 0}, {"other-v9", 0}};
    return facts;
  }();
  matrix::Package package;
  package.name = "demo";
  package.version = {matrix::VersionFrom::project, ""};
  const auto tag = tag_on_head(git, package);
  REQUIRE(tag);
  REQUIRE(tag->has_value());
  CHECK((*tag)->name == "v1.2.0");
  package.version.from = matrix::VersionFrom::git_tag;
  CHECK_FALSE(tag_on_head(git, package)->has_value());
  package.version.from = matrix::VersionFrom::project;
  package.requirement = "demo==1.0";
  CHECK_FALSE(tag_on_head(git, package)->has_value());
}

TEST_CASE("a channel of any name makes versions of its kind") {
  VersionWorld world;
  const matrix::Matrix matrix = loaded_from(world.fake, world.yaml).matrix;
  CHECK(version_channel(matrix, "nightly-all") == version::Channel::nightly);
  CHECK(version_channel(matrix, "release") == version::Channel::release);
  CHECK(version_channel(matrix, "quiet") == version::Channel::ci);
  CHECK(version_channel(matrix, "unknown") == version::Channel::ci);
  CHECK(publishes_nowhere(matrix, "quiet"));
  CHECK_FALSE(publishes_nowhere(matrix, "release"));
  CHECK_FALSE(publishes_nowhere(matrix, "unknown"));
  CHECK(nowhere_line("quiet") == "channel `quiet` publishes nowhere: it has `publish: []`\n");
}

TEST_CASE("a channel that publishes through a target has it first, for each of its own targets") {
  VersionWorld world;
  const std::string old = "release: {publish: [index]}";
  world.yaml.replace(world.yaml.find(old), old.size(),
                     "release: {publish: [index, other], through: trial}");
  world.yaml +=
      "  other: {kind: directory, path: other, label: \"{flavor}\"}\n"
      "  trial: {kind: index, url: \"https://trial.example.org/\", label: \"{flavor}\"}\n";
  const matrix::Matrix matrix = loaded_from(world.fake, world.yaml).matrix;
  using Targets = std::vector<std::string>;
  CHECK(plan::targets_of(matrix, "release", {}) == Targets{"trial", "index", "other"});
  CHECK(plan::targets_of(matrix, "release", {"other"}) == Targets{"trial", "other"});
  CHECK(plan::targets_of(matrix, "release", {"other", "trial"}) == Targets{"trial", "other"});
  CHECK(plan::targets_of(matrix, "release", {"trial"}) == Targets{"trial"});
  CHECK(plan::targets_of(matrix, "nightly-all", {}) == Targets{"index"});
  CHECK(plan::targets_of(matrix, "", {"index"}) == Targets{"index"});
  CHECK(plan::through_of(matrix, "release", {"trial", "index"}) == "trial");
  CHECK(plan::through_of(matrix, "release", {"trial"}).empty());
  CHECK(plan::through_of(matrix, "nightly-all", {"index"}).empty());
  ports::GitFacts tagged = checkout_facts();
  tagged.tags = {{"v1.2.0", 0}};
  world.fake.git.known = tagged;
  world.channel = "release";
  CHECK(world.facts().targets == Targets{"trial", "index", "other"});
}

TEST_CASE("builds that would have one name on a target are refused") {
  VersionWorld world;
  const Loaded labeled = loaded_from(world.fake, world.yaml);
  VersionFacts version;
  version.version = {"1.0", ""};
  version.targets = {"index"};
  version.machine = "x86_64";
  CHECK(name_builds(labeled, *select_outline(labeled, {}, {}, ""), version));
  world.yaml.replace(world.yaml.find(", label: \"{flavor}\""), 19, "");
  const Loaded plain = loaded_from(world.fake, world.yaml);
  const auto names = name_builds(plain, *select_outline(plain, {}, {}, ""), version);
  REQUIRE_FALSE(names);
  CHECK(names.error().kind == ErrorKind::config);
}

}  // namespace
}  // namespace pinwheel::prepare
