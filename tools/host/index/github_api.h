#pragma once
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/hidden_text.h"
#include "base/result.h"
#include "base/secret.h"
#include "host/index/upload.h"
#include "ports/http.h"
#include "publish/github_release.h"

namespace pinwheel::host {

/// A repository on GitHub, and the token for it.
struct GithubTarget {
  publish::GithubPlace place;
  Secret token = {};  ///< empty: requests are sent without one
};

/// A change that GitHub has not confirmed: whether it happened has to be looked up.
struct Unconfirmed {
  Error error;
  std::optional<std::chrono::milliseconds> asked = std::nullopt;  ///< the wait GitHub asks for
  /// GitHub rejected it: it does not happen later, and is not sent again if it did not happen.
  bool refused = false;
};

/// Requests to the API of a repository, for one thread. The token is sent only to the server of the
/// API and to the upload URL that `publish::github_upload_url` accepts; errors do not contain it.
class GithubApi {
 public:
  /// Both must outlive it. `options` has the attempts of a request and the waits between them.
  GithubApi(GithubTarget target, const UploadOptions& options, ports::Http& http,
            const UploadHooks& hooks);

  // Questions, with retries. Kind `transient` if there is no answer, `publish` for one that is a
  // refusal or cannot be read.

  /// Whether the token may write to the repository; nullopt if GitHub does not say.
  Result<std::optional<bool>> may_write() const;
  /// The state of the release with the tag of the goal. Assets without a SHA-256 whose name and
  /// size are those of a wanted one are downloaded once and hashed. Without a published release,
  /// the oldest draft with `publish::is_draft_of`.
  Result<publish::GithubState> look(const publish::ReleaseGoal& goal) const;
  /// The assets of a release, as above.
  Result<std::vector<publish::GithubAsset>> assets_of(
      uint64_t release, const std::vector<publish::WantedAsset>& wanted) const;

  /// Sends a change once: the reply, or why it is not known to have happened. `what` is "the draft
  /// was not created". Errors: `publish` if GitHub forbids it, and faults of this machine.
  Result<tl::expected<ports::HttpResponse, Unconfirmed>> change(ports::HttpRequest request,
                                                                std::string_view what) const;
  /// Waits before the next attempt; kind `interrupted` if the run is stopped meanwhile.
  Done wait(int attempt, std::optional<std::chrono::milliseconds> asked) const;
  void notice_retry(const Error& reason) const;

  const publish::GithubPlace& place() const { return target_.place; }
  const UploadOptions& options() const { return options_; }
  const UploadHooks& hooks() const { return hooks_; }
  Error hidden(Error error) const { return hidden_.mask(std::move(error)); }

 private:
  using Prepare = std::function<void(ports::HttpRequest&)>;

  ports::HttpRequest with_token(ports::HttpRequest request) const;
  Result<ports::HttpResponse> ask(const ports::HttpRequest& request, std::string_view what) const;
  Result<std::optional<std::string>> commit_of(const std::string& tag) const;
  Result<std::optional<publish::GithubRelease>> release_of(const publish::ReleaseGoal& goal) const;
  Result<std::optional<publish::GithubRelease>> draft_of(const publish::ReleaseGoal& goal) const;
  Result<std::string> digest_of(const publish::GithubAsset& asset) const;

  GithubTarget target_;
  const UploadOptions& options_;
  ports::Http& http_;
  const UploadHooks& hooks_;
  HiddenText hidden_;
  /// Of assets that were downloaded, by their id: the bytes of an asset never change.
  mutable std::map<uint64_t, std::string> digests_ = {};
};

}  // namespace pinwheel::host
