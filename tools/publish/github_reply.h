#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/hidden_text.h"
#include "base/result.h"
#include "ports/http.h"
#include "publish/github_place.h"
#include "publish/reply.h"

// Replies of GitHub's REST API as values. A reply that is none is an error of kind `publish`.
namespace pinwheel::publish {

/// A release of a repository.
struct GithubRelease {
  uint64_t id = 0;
  std::string tag;
  bool draft = false;
  bool immutable = false;      ///< GitHub accepts no change of it
  std::string upload_url;      ///< as GitHub states it, with its template
  std::string page = {};       ///< for people
  std::string commitish = {};  ///< a branch or a commit, from which GitHub would make the tag
  std::string opened = {};     ///< when it was published, "2026-11-02T..."; empty for a draft

  bool operator==(const GithubRelease&) const = default;
};

/// A file of a release.
struct GithubAsset {
  uint64_t id = 0;
  std::string name;
  uint64_t size = 0;
  std::string sha256 = {};  ///< hexadecimal; empty if GitHub does not state it
  bool complete = true;     ///< false: its upload did not end
  std::string url = {};     ///< for downloads; empty if GitHub states none

  bool operator==(const GithubAsset&) const = default;
};

/// What a tag points to.
struct GithubObject {
  std::string sha;
  bool annotated = false;  ///< it is a tag object, which points to another object

  bool operator==(const GithubObject&) const = default;
};

Result<GithubRelease> read_github_release(std::string_view body);
Result<std::vector<GithubRelease>> read_github_releases(std::string_view body);
Result<GithubAsset> read_github_asset(std::string_view body);
Result<std::vector<GithubAsset>> read_github_assets(std::string_view body);
/// A reference or a tag object: its member `object`.
Result<GithubObject> read_github_object(std::string_view body);
/// Whether the token may write to the repository; nullopt if the reply does not say.
Result<std::optional<bool>> read_github_permission(std::string_view body);

/// The outcome of a request from its status: as `outcome_of_status`, but every 2xx is `uploaded`, a
/// 403 of a rate limit `transient`, and 422 `refused`.
Outcome github_outcome(const ports::HttpResponse& response);

/// How long GitHub asks to wait: `Retry-After`, or the end of the rate limit.
std::optional<std::chrono::milliseconds> github_wait(const ports::HttpResponse& response,
                                                     std::chrono::system_clock::time_point now);

/// "`acme/ops` on `github`: the draft was not created: HTTP 422 (Validation Failed: tag_name
/// already_exists)", kind `publish`, for a reply that is not `uploaded`. `what` is "the draft was
/// not created"; `advice` says where the token comes from.
Error github_error(const ports::HttpResponse& response, const GithubPlace& place,
                   std::string_view what, const HiddenText& hidden);

/// The error for a token that may not write, kind `publish`.
Error no_write_permission(const GithubPlace& place);

}  // namespace pinwheel::publish
