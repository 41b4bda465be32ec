#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "ports/http.h"
#include "publish/github_place.h"
#include "publish/github_reply.h"

// A release of a repository on GitHub: a tag, and files attached to a release. A release is a draft
// until all files are there with the right digests, and is then published once: GitHub may make a
// published release immutable.
namespace pinwheel::publish {

/// A file that the release has.
struct WantedAsset {
  std::string name;
  uint64_t size = 0;
  std::string sha256;

  bool operator==(const WantedAsset&) const = default;
};

/// The release to make.
struct ReleaseGoal {
  GithubPlace place;
  std::string tag;
  std::string commit;  ///< 40 digits
  std::string title;   ///< of a new draft
  std::string notes = {};
  bool prerelease = false;
  std::vector<WantedAsset> assets = {};
};

/// Whether the assets were listed since the last change.
enum class AssetList { listed, changed };

/// The state of the release on GitHub.
struct GithubState {
  std::optional<std::string> tag_commit = {};  ///< the commit of the tag; none: there is no tag
  std::optional<GithubRelease> release = {};
  std::vector<GithubAsset> assets = {};
  AssetList list = AssetList::listed;
};

struct CreateDraft {
  bool operator==(const CreateDraft&) const = default;
};
struct DeleteAsset {
  GithubAsset asset;
  bool operator==(const DeleteAsset&) const = default;
};
struct UploadAsset {
  size_t index = 0;  ///< in `ReleaseGoal::assets`
  bool operator==(const UploadAsset&) const = default;
};
struct ListAssets {
  bool operator==(const ListAssets&) const = default;
};
struct CreateTag {
  bool operator==(const CreateTag&) const = default;
};
struct PublishDraft {
  bool operator==(const PublishDraft&) const = default;
};
struct ReleaseDone {
  bool operator==(const ReleaseDone&) const = default;
};
using GithubAction = std::variant<CreateDraft, DeleteAsset, UploadAsset, ListAssets, CreateTag,
                                  PublishDraft, ReleaseDone>;

/// Whether a release is a draft that this goal may fill: one with its tag. A draft of another
/// commit belongs to a publisher of that commit; the one whose tag is created first makes the
/// release.
bool is_draft_of(const GithubRelease& release, const ReleaseGoal& goal);

/// The next action on the way to the goal: a draft; without the assets that are incomplete or have
/// other bytes; with all files; listed again; the tag; its publication; listed again. Assets of
/// other names are left alone. Kind `publish`, whatever the state of the release, if the tag is at
/// another commit, and if a published release lacks a file or has other bytes: it is never changed.
Result<GithubAction> next_action(const ReleaseGoal& goal, const GithubState& state);

/// The URLs of files of a published release by name, as GitHub states them. Kind `publish` if the
/// release is not published, or lacks a file with these bytes: every such file is a cause.
Result<std::map<std::string, std::string>> asset_urls(const ReleaseGoal& goal,
                                                      const GithubState& state);

/// The files that GitHub would not accept under their names and with their sizes, and too many of
/// them, one error of kind `check` each.
std::vector<Error> asset_findings(const std::vector<WantedAsset>& assets);

/// The largest file that GitHub accepts has fewer bytes.
inline constexpr uint64_t kAssetLimit = uint64_t{2} << 30U;
inline constexpr size_t kMostAssets = 1000;
inline constexpr size_t kMostNotes = 125'000;  ///< characters that GitHub accepts

/// How many elements a page of a list has.
inline constexpr size_t kReleasesPerPage = 30;
inline constexpr size_t kAssetsPerPage = 100;
/// Drafts are among the newest releases: more pages are not read.
inline constexpr size_t kReleasePages = 100;
inline constexpr size_t kAssetPages = kMostAssets / kAssetsPerPage;

// The requests, without the token.

ports::HttpRequest get_repository(const GithubPlace& place);
ports::HttpRequest get_tag(const GithubPlace& place, std::string_view tag);
ports::HttpRequest get_tag_object(const GithubPlace& place, std::string_view sha);
/// The published release of a tag; GitHub finds no draft this way.
ports::HttpRequest get_release_of_tag(const GithubPlace& place, std::string_view tag);
ports::HttpRequest list_releases(const GithubPlace& place, size_t page);
ports::HttpRequest list_assets(const GithubPlace& place, uint64_t release, size_t page);
ports::HttpRequest download_asset(const GithubPlace& place, uint64_t asset);
ports::HttpRequest create_draft(const ReleaseGoal& goal);
ports::HttpRequest delete_asset(const GithubPlace& place, uint64_t asset);
/// Without the contents. `upload_url` is that of `github_upload_url`.
ports::HttpRequest upload_asset(std::string_view upload_url, std::string_view name);
ports::HttpRequest create_tag(const ReleaseGoal& goal);
ports::HttpRequest publish_draft(const ReleaseGoal& goal, uint64_t release);

}  // namespace pinwheel::publish
