#include "version/derive.h"

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "unit/catch.h"

namespace pinwheel::version {
namespace {

using std::chrono::system_clock;
using namespace std::string_literals;

const system_clock::time_point kDate(std::chrono::seconds(1795219200));  // 2026-11-21 00:00 UTC

ports::GitFacts repository(const std::vector<ports::GitTag>& tags) {
  ports::GitFacts facts;
  facts.root = "project";
  facts.commit = "1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d";
  facts.tags = tags;
  for (const ports::GitTag& tag : tags) facts.all_tags.push_back(tag.name);
  facts.commit_count = 9;
  return facts;
}

std::string in(Channel channel, const ports::GitFacts& facts, const Rules& rules = {}) {
  const Result<Derived> derived = derive(facts, rules, channel, kDate);
  if (!derived) return derived.error().message;
  const std::string local = derived->unreleased.empty() ? "" : "+" + derived->unreleased;
  return pep::to_string(derived->version) + local;
}

TEST_CASE("on a tag the version is the tag's, the highest of several") {
  CHECK(in(Channel::ci, repository({{"v1.2.0", 0}})) == "1.2.0");
  CHECK(in(Channel::release, repository({{"v1.2.0-rc1", 0}, {"v1.2.0", 0}, {"v2.0.0", 3}})) ==
        "1.2.0");
  CHECK(in(Channel::test, repository({{"v1.3.0-rc1", 0}})) == "1.3.0rc1");
}

TEST_CASE("on the tag of a re-cut the version is that before the mark, with a build number") {
  const Rules rules{.recuts = Recuts::read};
  const ports::GitFacts tagged = repository({{"v1.2.0-r1", 0}, {"v1.2.0", 4}});
  const Derived derived = derive(tagged, rules, Channel::release, kDate).value();
  CHECK(pep::to_string(derived.version) == "1.2.0");
  CHECK(derived.build == 1);
  CHECK(derived.why == std::vector{"tag `v1.2.0-r1` is on HEAD"s,
                                   "it is a re-cut of 1.2.0: its wheels have build number 1"s});
  CHECK(derive(tagged, rules, Channel::nightly, kDate)->build == 0);
  CHECK(in(Channel::ci, tagged) == "1.2.0.post1");
  // A re-cut does not restart the development numbers.
  CHECK(in(Channel::ci, repository({{"v1.2.0-r1", 2}, {"v1.2.0", 4}}), rules) ==
        "1.3.0.dev4+g1a2b3c4");
}

TEST_CASE(
    "after a final tag the version under development is the next release of the bumped part") {
  const ports::GitFacts facts = repository({{"v1.2.3", 4}, {"v1.1.0", 8}});
  CHECK(in(Channel::ci, facts) == "1.3.0.dev4+g1a2b3c4");
  CHECK(in(Channel::ci, facts, {"v*", Bump::patch}) == "1.2.4.dev4+g1a2b3c4");
  CHECK(in(Channel::ci, facts, {"v*", Bump::major}) == "2.0.0.dev4+g1a2b3c4");
  CHECK(in(Channel::ci, repository({{"v1.2.0.post1", 2}})) == "1.3.0.dev2+g1a2b3c4");
  CHECK(in(Channel::ci, repository({{"v5", 2}})) == "5.1.dev2+g1a2b3c4");
}

TEST_CASE("after a pre-release tag the version under development is the next pre-release") {
  CHECK(in(Channel::ci, repository({{"v1.3.0-rc1", 3}, {"v1.2.0", 9}})) ==
        "1.3.0rc2.dev3+g1a2b3c4");
}

TEST_CASE("after a tagged development release the numbers continue above it") {
  CHECK(in(Channel::ci, repository({{"v1.3.0.dev5", 3}})) == "1.3.0.dev8+g1a2b3c4");
}

TEST_CASE("without tags development begins at 0.0.0 and counts every commit") {
  CHECK(in(Channel::ci, repository({})) == "0.1.0.dev9+g1a2b3c4");
  CHECK(in(Channel::ci, repository({{"release-1", 0}})) == "0.1.0.dev9+g1a2b3c4");
}

TEST_CASE("a nightly is newer than every tag, reachable or not") {
  ports::GitFacts facts = repository({{"v1.2.0", 0}});
  CHECK(in(Channel::nightly, facts) == "1.3.0.dev20261121+g1a2b3c4");
  facts.all_tags.emplace_back("v1.3.0-rc2");
  CHECK(in(Channel::nightly, facts) == "1.3.0rc3.dev20261121+g1a2b3c4");
}

TEST_CASE("a dirty tree never has the version of a tag") {
  ports::GitFacts facts = repository({{"v1.2.0", 0}});
  facts.dirty = true;
  CHECK(in(Channel::ci, facts) == "1.3.0.dev0+g1a2b3c4.dirty");
  const Result<Derived> release = derive(facts, {}, Channel::release, kDate);
  REQUIRE_FALSE(release);
  CHECK(release.error().kind == ErrorKind::config);
  CHECK(release.error().hint.find("git stash") != std::string::npos);
}

TEST_CASE("a release requires a tag on HEAD, and the hint creates one") {
  const Result<Derived> release =
      derive(repository({{"v1.3.0rc1", 4}}), {}, Channel::release, kDate);
  REQUIRE_FALSE(release);
  CHECK(release.error().kind == ErrorKind::config);
  CHECK(release.error().hint.find("git tag -a v1.3.0`") != std::string::npos);
}

TEST_CASE("a shallow clone without its tags is an error, with a tag it is not") {
  ports::GitFacts facts = repository({});
  facts.shallow = true;
  for (const Channel channel : {Channel::ci, Channel::nightly}) {
    const Result<Derived> derived = derive(facts, {}, channel, kDate);
    REQUIRE_FALSE(derived);
    CHECK(derived.error().kind == ErrorKind::environment);
    CHECK(derived.error().hint.find("git fetch --unshallow --tags") != std::string::npos);
  }
  facts = repository({{"v1.2.0", 0}});
  facts.shallow = true;
  CHECK(in(Channel::release, facts) == "1.2.0");
}

TEST_CASE("the pattern selects the tags and its star matches the version") {
  const ports::GitFacts facts = repository({{"kernels/1.0/final", 0}, {"v3.0", 0}});
  CHECK(in(Channel::ci, facts, {"kernels/*/final", Bump::minor}) == "1.0");
  CHECK(in(Channel::ci, facts, {"v", Bump::minor}) == "tag pattern `v` must have exactly one `*`");
  CHECK(in(Channel::ci, facts, {"*v*", Bump::minor}) ==
        "tag pattern `*v*` must have exactly one `*`");
}

TEST_CASE("the explanation names the tag, the rule and the ignored tags") {
  const Derived derived =
      *derive(repository({{"v1.2.0", 1}, {"v-next", 0}}), {}, Channel::ci, kDate);
  CHECK(derived.why == std::vector<std::string>{
                           "`v1.2.0` is the highest tag in the history of HEAD, 1 commit before",
                           "a final release is followed by the next minor release",
                           "tag `v-next` is not a version and is ignored"});
}

TEST_CASE("the label comes before the marker of an unreleased build") {
  const ports::GitFacts facts = repository({{"v1.2.0", 4}});
  const Derived ahead = *derive(facts, {}, Channel::ci, kDate);
  CHECK(pep::to_string(*with_label(ahead, "cu130")) == "1.3.0.dev4+cu130.g1a2b3c4");
  CHECK(pep::to_string(*with_label(ahead, "")) == "1.3.0.dev4+g1a2b3c4");
  const Derived release = *derive(repository({{"v1.2.0", 0}}), {}, Channel::release, kDate);
  CHECK(pep::to_string(*with_label(release, "rocm7.1")) == "1.2.0+rocm7.1");
  CHECK(pep::to_string(*with_label(release, "")) == "1.2.0");
  REQUIRE_FALSE(with_label(release, "cu 130"));
  CHECK(with_label(release, "cu 130").error().kind == ErrorKind::config);
}

TEST_CASE("a final tag is for release, a pre-release tag for test, anything else for ci") {
  const auto channel = [](const std::vector<ports::GitTag>& tags) {
    const CommitChannel found = *channel_of(repository(tags), {});
    return std::pair(found.channel, found.tag);
  };
  CHECK(channel({{"v1.2.0", 0}, {"v1.1.0", 0}}) == std::pair(Channel::release, "v1.2.0"s));
  CHECK(channel({{"v1.2.0-rc1", 0}}) == std::pair(Channel::test, "v1.2.0-rc1"s));
  CHECK(channel({{"v1.2.0.dev1", 0}}) == std::pair(Channel::ci, "v1.2.0.dev1"s));
  CHECK(channel({{"v1.2.0", 1}}) == std::pair(Channel::ci, ""s));
  CHECK(channel({{"nightly-1.0", 0}}) == std::pair(Channel::ci, ""s));
}

TEST_CASE("the order of versions follows the order of development") {
  const std::vector<std::string> history = {"v1.2.0", "v1.3.0rc1", "v1.3.0rc2", "v1.3.0"};
  pep::Version previous = *pep::parse_version("0");
  std::vector<ports::GitTag> tags;
  for (const std::string& name : history) {
    for (ports::GitTag& tag : tags) tag.distance += 2;
    tags.push_back({name, 0});
    for (const int distance : {0, 1, 2}) {
      for (ports::GitTag& tag : tags) tag.distance += distance == 0 ? 0 : 1;
      const Derived derived = *derive(repository(tags), {}, Channel::ci, kDate);
      INFO(name << " + " << distance);
      CHECK(previous < derived.version);
      previous = derived.version;
    }
  }
}

}  // namespace
}  // namespace pinwheel::version
