#include "host/index/github_api.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/digest.h"
#include "base/retries.h"
#include "base/text.h"
#include "host/net/get_remote.h"
#include "publish/reply.h"

namespace pinwheel::host {
namespace {

using publish::GithubAsset;
using publish::GithubRelease;
using publish::GithubState;
using publish::Outcome;

constexpr int kOk = 200;
constexpr int kMissing = 404;

/// A reply to a read request, or a failure that may pass.
bool may_pass(const tl::expected<ports::HttpResponse, ports::HttpFailure>& reply) {
  if (!reply) return reply.error().error.kind == ErrorKind::transient;
  const Outcome outcome = publish::github_outcome(*reply);
  return outcome == Outcome::transient || outcome == Outcome::unknown;
}

Error with_kind(Error error, ErrorKind kind) {
  error.kind = kind;
  return error;
}

}  // namespace

GithubApi::GithubApi(GithubTarget target, const UploadOptions& options, ports::Http& http,
                     const UploadHooks& hooks)
    : target_(std::move(target)), options_(options), http_(http), hooks_(hooks) {
  if (!target_.token.empty()) hidden_.add(target_.token);
}

ports::HttpRequest GithubApi::with_token(ports::HttpRequest request) const {
  if (!target_.token.empty()) {
    request.headers.emplace_back("Authorization", "Bearer " + target_.token.reveal());
  }
  return request;
}

Done GithubApi::wait(int attempt, std::optional<std::chrono::milliseconds> asked) const {
  const double jitter = hooks_.jitter ? hooks_.jitter() : 0;
  std::chrono::milliseconds delay =
      backoff(attempt, options_.backoff_min, options_.backoff_max, jitter);
  if (asked) delay = std::min(std::max(delay, *asked), options_.backoff_max);
  if (hooks_.sleep(delay)) return {};
  return fail(ErrorKind::interrupted, "publishing was stopped while it waited");
}

void GithubApi::notice_retry(const Error& reason) const {
  if (hooks_.notice) hooks_.notice(hidden_.mask(fmt::format("{}; trying again", reason.message)));
}

Result<ports::HttpResponse> GithubApi::ask(const ports::HttpRequest& request,
                                           std::string_view what) const {
  Done waited;
  const ports::HttpRequest sent = with_token(request);
  const auto send = [&] { return http_.send(sent); };
  const auto wait_for_next = [&](int attempt, const auto& reply) {
    notice_retry(reply ? publish::github_error(*reply, place(), what, hidden_)
                       : reply.error().error);
    const auto asked =
        reply && hooks_.now ? publish::github_wait(*reply, hooks_.now()) : std::nullopt;
    waited = wait(attempt, asked);
    return waited.has_value();
  };
  auto reply = with_retries(options_.attempts, send, may_pass, wait_for_next);
  TRY_DONE(std::move(waited));
  if (!reply) {
    Error error = std::move(reply).error().error;
    // A reply beyond the limit is none.
    if (error.kind == ErrorKind::check) error.kind = ErrorKind::publish;
    return fail(std::move(error));
  }
  if (reply->status == kOk || reply->status == kMissing) return *std::move(reply);
  Error error = publish::github_error(*reply, place(), what, hidden_);
  if (may_pass(reply)) error.kind = ErrorKind::transient;
  return fail(std::move(error));
}

Result<std::optional<bool>> GithubApi::may_write() const {
  constexpr std::string_view kWhat = "the repository cannot be read";
  TRY(const ports::HttpResponse reply, ask(publish::get_repository(place()), kWhat));
  if (reply.status == kMissing) {
    return fail(publish::github_error(reply, place(), kWhat, hidden_));
  }
  return publish::read_github_permission(reply.body);
}

Result<std::optional<std::string>> GithubApi::commit_of(const std::string& tag) const {
  const std::string what = fmt::format("tag {} cannot be read", quoted(tag));
  TRY(ports::HttpResponse reply, ask(publish::get_tag(place(), tag), what));
  if (reply.status == kMissing) return std::nullopt;
  TRY(publish::GithubObject object, publish::read_github_object(reply.body));
  // A tag object may point to another one.
  constexpr int kDeepest = 5;
  for (int depth = 0; object.annotated; ++depth) {
    TRY(reply, ask(publish::get_tag_object(place(), object.sha), what));
    if (reply.status == kMissing || depth == kDeepest) {
      return fail(ErrorKind::publish, what);
    }
    TRY(object, publish::read_github_object(reply.body));
  }
  return object.sha;
}

Result<std::optional<GithubRelease>> GithubApi::draft_of(const publish::ReleaseGoal& goal) const {
  std::optional<GithubRelease> oldest;
  for (size_t page = 1; page <= publish::kReleasePages; ++page) {
    TRY(const ports::HttpResponse reply,
        ask(publish::list_releases(place(), page), "its releases cannot be read"));
    if (reply.status == kMissing) {
      return fail(publish::github_error(reply, place(), "its releases cannot be read", hidden_));
    }
    TRY(const std::vector<GithubRelease> releases, publish::read_github_releases(reply.body));
    for (const GithubRelease& each : releases) {
      const bool usable = publish::is_draft_of(each, goal);
      if (usable && (!oldest || each.id < oldest->id)) oldest = each;
    }
    if (releases.size() < publish::kReleasesPerPage) break;
  }
  return oldest;
}

Result<std::optional<GithubRelease>> GithubApi::release_of(const publish::ReleaseGoal& goal) const {
  TRY(const ports::HttpResponse reply,
      ask(publish::get_release_of_tag(place(), goal.tag),
          fmt::format("the release of tag {} cannot be read", quoted(goal.tag))));
  if (reply.status == kMissing) return draft_of(goal);
  TRY(GithubRelease release, publish::read_github_release(reply.body));
  return release;
}

Result<std::string> GithubApi::digest_of(const GithubAsset& asset) const {
  const ports::HttpRequest request = publish::download_asset(place(), asset.id);
  std::optional<Sha256> hash;
  const auto prepare = [&](ports::HttpRequest& each) {
    each.headers = request.headers;
    // Files are stored on another server, which needs no token.
    if (each.url == request.url) each.headers = with_token(request).headers;
    hash.emplace();
    each.sink = [&hash](std::string_view bytes) { hash->update(bytes); };
  };
  TRY(const RemoteReply reply,
      get_remote({http_}, request.url, prepare, {safe_to_follow, 3, ErrorKind::publish}));
  if (reply.reply.status != kOk) {
    return fail(publish::github_error(
        reply.reply, place(), fmt::format("{} cannot be downloaded", quoted(asset.name)), hidden_));
  }
  return to_hex(hash->finish());
}

Result<std::vector<GithubAsset>> GithubApi::assets_of(
    uint64_t release, const std::vector<publish::WantedAsset>& wanted) const {
  std::vector<GithubAsset> all;
  for (size_t page = 1; page <= publish::kAssetPages; ++page) {
    constexpr std::string_view kWhat = "the assets of the release cannot be read";
    TRY(const ports::HttpResponse reply, ask(publish::list_assets(place(), release, page), kWhat));
    if (reply.status == kMissing) {
      return fail(publish::github_error(reply, place(), kWhat, hidden_));
    }
    TRY(const std::vector<GithubAsset> some, publish::read_github_assets(reply.body));
    all.insert(all.end(), some.begin(), some.end());
    if (some.size() < publish::kAssetsPerPage) break;
  }
  for (GithubAsset& asset : all) {
    const auto same = std::ranges::find_if(wanted, [&](const publish::WantedAsset& each) {
      return each.name == asset.name && each.size == asset.size;
    });
    if (same == wanted.end() || !asset.complete || !asset.sha256.empty()) continue;
    if (const auto known = digests_.find(asset.id); known != digests_.end()) {
      asset.sha256 = known->second;
      continue;
    }
    TRY(asset.sha256, digest_of(asset));
    digests_.emplace(asset.id, asset.sha256);
  }
  return all;
}

Result<GithubState> GithubApi::look(const publish::ReleaseGoal& goal) const {
  GithubState state;
  TRY(state.tag_commit, commit_of(goal.tag));
  TRY(state.release, release_of(goal));
  if (state.release) {
    TRY(state.assets, assets_of(state.release->id, goal.assets));
  }
  return state;
}

Result<tl::expected<ports::HttpResponse, Unconfirmed>> GithubApi::change(
    ports::HttpRequest request, std::string_view what) const {
  auto reply = http_.send(with_token(std::move(request)));
  if (!reply) {
    Error error = std::move(reply).error().error;
    if (error.kind != ErrorKind::transient) return fail(std::move(error));
    return tl::unexpected(Unconfirmed{with_kind(std::move(error), ErrorKind::publish)});
  }
  const Outcome outcome = publish::github_outcome(*reply);
  if (outcome == Outcome::uploaded) return tl::expected<ports::HttpResponse, Unconfirmed>(*reply);
  Error error = publish::github_error(*reply, place(), what, hidden_);
  const auto asked = hooks_.now ? publish::github_wait(*reply, hooks_.now()) : std::nullopt;
  if (outcome == Outcome::transient || outcome == Outcome::unknown) {
    return tl::unexpected(Unconfirmed{std::move(error), asked});
  }
  // A missing asset or draft may be the result of another publisher, or of a lost reply.
  if (outcome == Outcome::refused || reply->status == kMissing) {
    return tl::unexpected(Unconfirmed{std::move(error), asked, true});
  }
  return fail(std::move(error));
}

}  // namespace pinwheel::host
