#include "publish/github_release.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/digest.h"
#include "base/limits.h"
#include "base/text.h"
#include "base/url.h"

namespace pinwheel::publish {
namespace {

using BodyJson = nlohmann::ordered_json;

const GithubAsset* asset_named(const GithubState& state, const std::string& name) {
  const auto found = std::ranges::find(state.assets, name, &GithubAsset::name);
  return found == state.assets.end() ? nullptr : &*found;
}

bool is_same(const GithubAsset& asset, const WantedAsset& wanted) {
  return asset.complete && asset.size == wanted.size && asset.sha256 == wanted.sha256;
}

Error tag_elsewhere(const ReleaseGoal& goal, const std::string& commit) {
  return Error{ErrorKind::publish,
               fmt::format("tag {} of {} is at commit {}, and the files were built from commit {}",
                           quoted(goal.tag), quoted(goal.place.repository), quoted(commit),
                           quoted(goal.commit))}
      .with_hint(fmt::format("a tag is not moved: publish another version; if the tag is a mistake "
                             "and has no release, delete it: {}",
                             quoted("git push origin " + shell_quote(":refs/tags/" + goal.tag))));
}

/// A published release without a file, or with other bytes.
Error published_differs(const ReleaseGoal& goal, const GithubRelease& release,
                        std::vector<Error> causes) {
  Error error{ErrorKind::publish,
              fmt::format("the release of tag {} of {} is published, and {} of its files differ",
                          quoted(goal.tag), quoted(goal.place.repository), causes.size())};
  error.hint = release.immutable
                   ? "GitHub allows no change of an immutable release: publish another version"
                   : "a published release is not changed: publish another version; if nobody uses "
                     "this one, delete the release on its page and run the same command again";
  error.causes = std::move(causes);
  return error;
}

std::vector<Error> differences(const ReleaseGoal& goal, const GithubState& state) {
  std::vector<Error> found;
  for (const WantedAsset& wanted : goal.assets) {
    const GithubAsset* const asset = asset_named(state, wanted.name);
    if (asset == nullptr) {
      found.push_back({ErrorKind::publish, fmt::format("{} is missing", quoted(wanted.name))});
    } else if (!is_same(*asset, wanted)) {
      found.push_back(
          {ErrorKind::publish, fmt::format("{} has SHA-256 {} there, {} here", quoted(wanted.name),
                                           asset->sha256, wanted.sha256)});
    }
  }
  return found;
}

Result<GithubAction> after_publication(const ReleaseGoal& goal, const GithubState& state) {
  if (state.list == AssetList::changed) return ListAssets{};
  std::vector<Error> found = differences(goal, state);
  if (!found.empty()) return fail(published_differs(goal, *state.release, std::move(found)));
  if (!state.tag_commit) return CreateTag{};
  return ReleaseDone{};
}

ports::HttpRequest with_json(ports::HttpRequest request, const BodyJson& json) {
  request.headers.emplace_back("Content-Type", "application/json");
  request.body = json.dump(-1, ' ', false, BodyJson::error_handler_t::replace);
  return request;
}

/// The name of a tag in a path: its slashes stay.
std::string encoded_tag(std::string_view tag) {
  return replace_all(encode_segment(tag), "%2F", "/");
}

std::string_view cut_notes(std::string_view notes) {
  if (notes.size() <= kMostNotes) return notes;
  // At the end of a line, so that no character is divided.
  const size_t end = notes.rfind('\n', kMostNotes);
  return notes.substr(0, end == std::string_view::npos ? 0 : end);
}

}  // namespace

bool is_draft_of(const GithubRelease& release, const ReleaseGoal& goal) {
  const std::string& from = release.commitish;
  const bool commit = from.size() == goal.commit.size() && is_hex(from);
  return release.draft && release.tag == goal.tag && (!commit || from == goal.commit);
}

Result<GithubAction> next_action(const ReleaseGoal& goal, const GithubState& state) {
  if (state.tag_commit && *state.tag_commit != goal.commit) {
    return fail(tag_elsewhere(goal, *state.tag_commit));
  }
  if (!state.release) return CreateDraft{};
  if (!state.release->draft) return after_publication(goal, state);
  for (const WantedAsset& wanted : goal.assets) {
    const GithubAsset* const asset = asset_named(state, wanted.name);
    if (asset != nullptr && !is_same(*asset, wanted)) return DeleteAsset{*asset};
  }
  for (size_t i = 0; i < goal.assets.size(); ++i) {
    if (asset_named(state, goal.assets[i].name) == nullptr) return UploadAsset{i};
  }
  if (state.list == AssetList::changed) return ListAssets{};
  if (!state.tag_commit) return CreateTag{};
  return PublishDraft{};
}

Result<std::map<std::string, std::string>> asset_urls(const ReleaseGoal& goal,
                                                      const GithubState& state) {
  const std::string release = fmt::format("release {} of {} on {}", quoted(goal.tag),
                                          quoted(goal.place.repository), quoted(goal.place.target));
  if (!state.release || state.release->draft) {
    return fail(Error{ErrorKind::publish, release + " is not published"}.with_hint(
        fmt::format("publish to {} first", quoted(goal.place.target))));
  }
  std::map<std::string, std::string> urls;
  Error missing{ErrorKind::publish,
                release + " lacks some of the files, or has them with other contents"};
  for (const WantedAsset& wanted : goal.assets) {
    const GithubAsset* const asset = asset_named(state, wanted.name);
    if (asset != nullptr && is_same(*asset, wanted) && !asset->url.empty()) {
      urls[wanted.name] = asset->url;
    } else {
      missing.causes.push_back(
          {ErrorKind::publish,
           fmt::format("{} is missing, differs, or has no download URL", quoted(wanted.name))});
    }
  }
  if (!missing.causes.empty()) return fail(std::move(missing));
  return urls;
}

std::vector<Error> asset_findings(const std::vector<WantedAsset>& assets) {
  std::vector<Error> found;
  if (assets.size() > kMostAssets) {
    found.push_back(Error{
        ErrorKind::check,
        fmt::format("the release has {} files, GitHub accepts {}", assets.size(), kMostAssets)}
                        .with_hint("publish fewer variants to this target"));
  }
  for (const WantedAsset& asset : assets) {
    const bool plain = std::ranges::all_of(asset.name, [](char c) {
      return is_alphanumeric(c) || c == '.' || c == '_' || c == '-' || c == '+';
    });
    if (!plain) {
      found.push_back(
          Error{ErrorKind::check, fmt::format("GitHub would rename {}", quoted(asset.name))}
              .with_hint("use letters, digits, `.`, `_`, `-` and `+` in file names"));
    }
    if (asset.size >= kAssetLimit) {
      found.push_back(
          Error{ErrorKind::check, fmt::format("{} has {}, GitHub accepts files below 2 GiB",
                                              quoted(asset.name), format_bytes(asset.size))}
              .with_hint("make the file smaller (fewer architectures), or publish it "
                         "to another target"));
    }
    if (asset.size == 0) {
      found.push_back({ErrorKind::check, fmt::format("{} is empty", quoted(asset.name))});
    }
  }
  return found;
}

ports::HttpRequest get_repository(const GithubPlace& place) {
  return github_request("GET", github_url(place, ""));
}

ports::HttpRequest get_tag(const GithubPlace& place, std::string_view tag) {
  return github_request("GET", github_url(place, "git/ref/tags/" + encoded_tag(tag)));
}

ports::HttpRequest get_tag_object(const GithubPlace& place, std::string_view sha) {
  return github_request("GET", github_url(place, fmt::format("git/tags/{}", sha)));
}

ports::HttpRequest get_release_of_tag(const GithubPlace& place, std::string_view tag) {
  return github_request("GET", github_url(place, "releases/tags/" + encoded_tag(tag)));
}

ports::HttpRequest list_releases(const GithubPlace& place, size_t page) {
  return github_request("GET", github_url(place, fmt::format("releases?per_page={}&page={}",
                                                             kReleasesPerPage, page)));
}

ports::HttpRequest list_assets(const GithubPlace& place, uint64_t release, size_t page) {
  return github_request(
      "GET", github_url(place, fmt::format("releases/{}/assets?per_page={}&page={}", release,
                                           kAssetsPerPage, page)));
}

ports::HttpRequest download_asset(const GithubPlace& place, uint64_t asset) {
  ports::HttpRequest request =
      github_request("GET", github_url(place, fmt::format("releases/assets/{}", asset)));
  request.headers[0].second = "application/octet-stream";
  return request;
}

ports::HttpRequest create_draft(const ReleaseGoal& goal) {
  return with_json(github_request("POST", github_url(goal.place, "releases")),
                   {{"tag_name", goal.tag},
                    {"target_commitish", goal.commit},
                    {"name", goal.title},
                    {"body", cut_notes(goal.notes)},
                    {"draft", true},
                    {"prerelease", goal.prerelease}});
}

ports::HttpRequest delete_asset(const GithubPlace& place, uint64_t asset) {
  return github_request("DELETE", github_url(place, fmt::format("releases/assets/{}", asset)));
}

ports::HttpRequest upload_asset(std::string_view upload_url, std::string_view name) {
  ports::HttpRequest request =
      github_request("POST", fmt::format("{}?name={}", upload_url, encode_segment(name)));
  request.headers.emplace_back("Content-Type", "application/octet-stream");
  return request;
}

ports::HttpRequest create_tag(const ReleaseGoal& goal) {
  return with_json(github_request("POST", github_url(goal.place, "git/refs")),
                   {{"ref", "refs/tags/" + goal.tag}, {"sha", goal.commit}});
}

ports::HttpRequest publish_draft(const ReleaseGoal& goal, uint64_t release) {
  // A patch of an older line is not the latest release: GitHub compares the versions.
  return with_json(
      github_request("PATCH", github_url(goal.place, fmt::format("releases/{}", release))),
      {{"tag_name", goal.tag},
       {"draft", false},
       {"prerelease", goal.prerelease},
       {"make_latest", "legacy"}});
}

}  // namespace pinwheel::publish
