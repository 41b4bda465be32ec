#include "publish/github_release.h"

#include <nlohmann/json.hpp>

#include "publish/release_assets.h"
#include "unit/catch.h"

namespace pinwheel::publish {
namespace {

const std::string kCommit(40, 'c');
const std::string kOther(40, 'd');

ReleaseGoal goal() {
  return {{"github", "https://api.github.com", "acme/ops"},
          "pkg/v1.0",
          kCommit,
          "ops 1.0",
          "Notes.",
          false,
          {{"a.whl", 3, "aaaa"}, {"b.tar.gz", 4, "bbbb"}}};
}

GithubState draft(std::vector<GithubAsset> assets = {}) {
  GithubState state;
  state.release = GithubRelease{7, "pkg/v1.0", true, false, "u"};
  state.assets = std::move(assets);
  return state;
}

std::vector<GithubAsset> complete() {
  return {{1, "a.whl", 3, "aaaa", true}, {2, "b.tar.gz", 4, "bbbb", true}};
}

GithubState published(std::vector<GithubAsset> assets) {
  GithubState state = draft(std::move(assets));
  state.release->draft = false;
  state.tag_commit = kCommit;
  return state;
}

GithubAction after(const GithubState& state) {
  return next_action(goal(), state).value();
}

TEST_CASE("a release goes from nothing to a published one, a step at a time") {
  GithubState state;
  CHECK(after(state) == GithubAction{CreateDraft{}});
  state = draft();
  CHECK(after(state) == GithubAction{UploadAsset{0}});
  state.assets = {complete()[0]};
  CHECK(after(state) == GithubAction{UploadAsset{1}});
  state.assets = complete();
  state.list = AssetList::changed;
  CHECK(after(state) == GithubAction{ListAssets{}});
  state.list = AssetList::listed;
  CHECK(after(state) == GithubAction{CreateTag{}});
  state.tag_commit = kCommit;
  CHECK(after(state) == GithubAction{PublishDraft{}});
  state.release->draft = false;
  state.list = AssetList::changed;
  CHECK(after(state) == GithubAction{ListAssets{}});
  state.list = AssetList::listed;
  CHECK(after(state) == GithubAction{ReleaseDone{}});
}

TEST_CASE("a draft loses assets that are incomplete or have other bytes, and keeps strangers") {
  const GithubAsset stranger{9, "manual.pdf", 1, "", true};
  for (const GithubAsset& wrong :
       {GithubAsset{1, "a.whl", 3, "aaaa", false}, GithubAsset{1, "a.whl", 2, "aaaa", true},
        GithubAsset{1, "a.whl", 3, "ffff", true}, GithubAsset{1, "a.whl", 3, "", true}}) {
    CHECK(after(draft({stranger, wrong, complete()[1]})) == GithubAction{DeleteAsset{wrong}});
  }
  CHECK(after(draft({stranger, complete()[1]})) == GithubAction{UploadAsset{0}});
}

TEST_CASE("a tag at another commit stops everything, and the error names both commits") {
  for (GithubState state : {GithubState{}, draft(), draft(complete()), published(complete())}) {
    state.tag_commit = kOther;
    const Result<GithubAction> action = next_action(goal(), state);
    REQUIRE_FALSE(action);
    CHECK(action.error().kind == ErrorKind::publish);
    CHECK(action.error().message.find(kCommit) != std::string::npos);
    CHECK(action.error().message.find(kOther) != std::string::npos);
    CHECK(action.error().hint.find("another version") != std::string::npos);
  }
}

TEST_CASE("the draft of another commit is left to its publisher") {
  GithubRelease release{7, "pkg/v1.0", true, false, "u"};
  for (const std::string& usable : {std::string(), std::string("main"), kCommit}) {
    release.commitish = usable;
    CHECK(is_draft_of(release, goal()));
  }
  release.commitish = std::string(40, 'd');
  CHECK_FALSE(is_draft_of(release, goal()));
  release.commitish = kCommit;
  release.draft = false;
  CHECK_FALSE(is_draft_of(release, goal()));
  release = {7, "v1.0", true, false, "u"};
  CHECK_FALSE(is_draft_of(release, goal()));
}

TEST_CASE("a published release is only verified") {
  CHECK(after(published(complete())) == GithubAction{ReleaseDone{}});
  GithubState untagged = published(complete());
  untagged.tag_commit.reset();
  CHECK(after(untagged) == GithubAction{CreateTag{}});
  GithubState state = published({{1, "a.whl", 3, "ffff", true}});
  const Result<GithubAction> action = next_action(goal(), state);
  REQUIRE_FALSE(action);
  CHECK(action.error().kind == ErrorKind::publish);
  REQUIRE(action.error().causes.size() == 2);
  CHECK(action.error().causes[0].message == "`a.whl` has SHA-256 ffff there, aaaa here");
  CHECK(action.error().causes[1].message == "`b.tar.gz` is missing");
  CHECK(action.error().hint.find("delete the release") != std::string::npos);
  state.release->immutable = true;
  CHECK(next_action(goal(), state).error().hint.find("immutable") != std::string::npos);
}

TEST_CASE("a published release with every file has their URLs") {
  std::vector<GithubAsset> assets = complete();
  CHECK(asset_urls(goal(), draft(assets)).error().message.find("is not published") !=
        std::string::npos);
  assets[0].url = "https://github.com/acme/ops/releases/download/v1/a.whl";
  const auto unlinked = asset_urls(goal(), published(assets));
  REQUIRE_FALSE(unlinked);
  CHECK(unlinked.error().kind == ErrorKind::publish);
  REQUIRE(unlinked.error().causes.size() == 1);
  CHECK(unlinked.error().causes[0].message.starts_with("`b.tar.gz` is missing"));
  assets[1].url = "https://github.com/acme/ops/releases/download/v1/b.tar.gz";
  const auto urls = asset_urls(goal(), published(assets));
  REQUIRE(urls);
  CHECK(urls->at("a.whl") == assets[0].url);
  assets[1].sha256 = "ffff";
  CHECK_FALSE(asset_urls(goal(), published(assets)));
}

TEST_CASE("files that GitHub would refuse or rename are findings before anything is sent") {
  CHECK(asset_findings({{"a-1.0+cu130-py3-none-any.whl", 1, ""}}).empty());
  const auto messages = [](const std::vector<WantedAsset>& assets) {
    std::vector<std::string> texts;
    for (const Error& each : asset_findings(assets)) {
      CHECK(each.kind == ErrorKind::check);
      texts.push_back(each.message);
    }
    return texts;
  };
  CHECK(messages({{"a-1!2.0.whl", 1, ""}, {"b", kAssetLimit, ""}, {"c", 0, ""}}) ==
        std::vector<std::string>{"GitHub would rename `a-1!2.0.whl`",
                                 "`b` has 2.1 GB, GitHub accepts files below 2 GiB",
                                 "`c` is empty"});
  CHECK(messages({{"b", kAssetLimit - 1, ""}}).empty());
  CHECK(messages(std::vector<WantedAsset>(kMostAssets + 1, {"a", 1, ""})).size() == 1);
}

TEST_CASE("requests name the repository, the tag and the files") {
  const ReleaseGoal wanted = goal();
  CHECK(get_tag(wanted.place, "pkg/v1.0+x").url ==
        "https://api.github.com/repos/acme/ops/git/ref/tags/pkg/v1.0%2Bx");
  CHECK(upload_asset("https://u/assets", "a-1.0+cu130.whl").url ==
        "https://u/assets?name=a-1.0%2Bcu130.whl");
  const auto body = nlohmann::json::parse(create_draft(wanted).body);
  CHECK(body["tag_name"] == "pkg/v1.0");
  CHECK(body["target_commitish"] == kCommit);
  CHECK(body["body"] == "Notes.");
  CHECK(body["draft"] == true);
  CHECK(nlohmann::json::parse(create_tag(wanted).body) ==
        nlohmann::json{{"ref", "refs/tags/pkg/v1.0"}, {"sha", kCommit}});
  CHECK(publish_draft(wanted, 7).method == "PATCH");
  CHECK(nlohmann::json::parse(publish_draft(wanted, 7).body)["draft"] == false);
}

TEST_CASE("notes that are too long end with a line") {
  ReleaseGoal wanted = goal();
  wanted.notes = std::string(kMostNotes - 10, 'x') + "\n" + std::string(100, 'y');
  const auto body = nlohmann::json::parse(create_draft(wanted).body);
  CHECK(body["body"] == std::string(kMostNotes - 10, 'x'));
}

TEST_CASE("a bundle stays only while the release has the file that it is about") {
  const publish::WantedAsset file{"ops-1.0-py3-none-any.whl", 3, std::string(64, 'a')};
  publish::GithubState state;
  CHECK_FALSE(publish::present_bundle(file, state));
  state.release.emplace();
  state.release->draft = true;
  state.assets = {{1, file.name, 3, file.sha256},
                  {2, file.name + ".sigstore.json", 7, std::string(64, 'b')}};
  const auto kept = publish::present_bundle(file, state);
  REQUIRE(kept);
  CHECK(kept->name == file.name + ".sigstore.json");
  CHECK(kept->size == 7);
  state.assets[0].sha256 = std::string(64, 'c');
  CHECK_FALSE(publish::present_bundle(file, state));
  state.assets[0].sha256 = file.sha256;
  state.assets[1].complete = false;
  CHECK_FALSE(publish::present_bundle(file, state));
  // A published release is never changed.
  state.release->draft = false;
  const auto missing = publish::present_bundle(file, state);
  REQUIRE(missing);
  CHECK(missing->sha256 != std::string(64, 'b'));
}

TEST_CASE("the digests and the records of a release do not depend on the order of its files") {
  const ReleaseFacts facts{"ops", "v1.0", kCommit};
  const RecordedFile a{"ops-1.0-py3-none-any.whl", 3, std::string(64, 'a')};
  const RecordedFile b{"ops-1.0.tar.gz", 4, std::string(64, 'b')};
  const RecordedFile other{"ops_cuda-1.0-py3-none-any.whl", 5, std::string(64, 'c')};
  const std::vector<MadeAsset> assets =
      describing_assets(facts, {"github", {{"ops", {b, a}}, {"ops-cuda", {other}}}});
  REQUIRE(assets.size() == 3);
  CHECK(assets[0].asset.name == "SHA256SUMS");
  CHECK(assets[0].bytes == a.sha256 + "  ops-1.0-py3-none-any.whl\n" + b.sha256 +
                               "  ops-1.0.tar.gz\n" + other.sha256 +
                               "  ops_cuda-1.0-py3-none-any.whl\n");
  CHECK(assets[1].asset.name == "pinwheel-release-ops-cuda.json");
  CHECK(assets[2].asset.name == "pinwheel-release.json");
  CHECK(assets[2].asset.size == assets[2].bytes.size());
  CHECK(*parse_release_record(assets[2].bytes) ==
        ReleaseRecord{"ops", "1.0", "v1.0", kCommit, {a, b}});
  const auto again = describing_assets(facts, {"github", {{"ops-cuda", {other}}, {"ops", {a, b}}}});
  CHECK(again[2].bytes == assets[2].bytes);
}

TEST_CASE("a release has a commit and a tag") {
  CHECK(check_tagged({"ops", "v1.0", kCommit}, "github"));
  for (const ReleaseFacts& lacking :
       {ReleaseFacts{"ops", "v1.0", ""}, ReleaseFacts{"ops", "", kCommit}}) {
    const Done checked = check_tagged(lacking, "github");
    REQUIRE_FALSE(checked);
    CHECK(checked.error().kind == ErrorKind::check);
  }
}

}  // namespace
}  // namespace pinwheel::publish
