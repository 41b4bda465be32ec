#include "host/index/github_release.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text.h"
#include "host/index/checked_bytes.h"

namespace pinwheel::host {
namespace {

using publish::GithubAction;
using publish::GithubAsset;
using publish::GithubState;
using publish::ReleaseGoal;
using publish::UploadStage;
using publish::WantedAsset;
using Contents = std::vector<std::shared_ptr<const ports::ByteSource>>;

/// Nothing if the action happened.
using Acted = Result<std::optional<Unconfirmed>>;

/// A release on its way from a state to its goal.
class ReleaseRun {
 public:
  ReleaseRun(const ReleaseGoal& goal, const Contents& contents, const GithubApi& api)
      : goal_(goal), contents_(contents), api_(api), sent_(goal.assets.size(), 0) {}

  Result<std::vector<FileOutcome>> run();

  Acted operator()(const publish::CreateDraft& action);
  Acted operator()(const publish::DeleteAsset& action);
  Acted operator()(const publish::UploadAsset& action);
  Acted operator()(const publish::ListAssets& action);
  Acted operator()(const publish::CreateTag& action);
  Acted operator()(const publish::PublishDraft& action);
  Acted operator()(const publish::ReleaseDone& /*action*/) { return std::nullopt; }

 private:
  Done look();
  Done recover(const GithubAction& action, Unconfirmed unconfirmed);
  void notify(size_t index, UploadStage stage) const;
  Done read_release(const ports::HttpResponse& reply);
  void note_present() const;

  const ReleaseGoal& goal_;
  const Contents& contents_;
  const GithubApi& api_;
  std::vector<int> sent_;  ///< how often each file was sent
  GithubState state_ = {};
  int failures_ = 0;  ///< since the last action that happened
};

void ReleaseRun::notify(size_t index, UploadStage stage) const {
  if (!api_.hooks().event) return;
  const WantedAsset& asset = goal_.assets[index];
  api_.hooks().event({stage, goal_.place.target, asset.name, asset.sha256, asset.size, index + 1,
                      goal_.assets.size(), sent_[index]});
}

/// Reports the files that the release has before anything is sent.
void ReleaseRun::note_present() const {
  for (size_t i = 0; i < goal_.assets.size(); ++i) {
    const WantedAsset& wanted = goal_.assets[i];
    const bool there = std::ranges::any_of(state_.assets, [&](const GithubAsset& each) {
      return each.name == wanted.name && each.complete && each.sha256 == wanted.sha256;
    });
    if (there) notify(i, UploadStage::already_there);
  }
}

Done ReleaseRun::look() {
  TRY(state_, api_.look(goal_));
  return {};
}

Done ReleaseRun::read_release(const ports::HttpResponse& reply) {
  TRY(state_.release, publish::read_github_release(reply.body));
  return {};
}

Acted ReleaseRun::operator()(const publish::CreateDraft& /*action*/) {
  TRY(const auto reply,
      api_.change(publish::create_draft(goal_), "the draft of the release was not created"));
  if (!reply) return reply.error();
  TRY_DONE(read_release(*reply));
  state_.assets.clear();
  return std::nullopt;
}

Acted ReleaseRun::operator()(const publish::DeleteAsset& action) {
  TRY(const auto reply,
      api_.change(publish::delete_asset(goal_.place, action.asset.id),
                  fmt::format("{} was not removed from the draft", quoted(action.asset.name))));
  if (!reply) return reply.error();
  std::erase_if(state_.assets, [&](const GithubAsset& each) { return each.id == action.asset.id; });
  state_.list = publish::AssetList::changed;
  return std::nullopt;
}

Acted ReleaseRun::operator()(const publish::UploadAsset& action) {
  const WantedAsset& wanted = goal_.assets[action.index];
  const std::string what = fmt::format("{} was not accepted", quoted(wanted.name));
  if (sent_[action.index] >= api_.options().attempts) {
    return fail(Error{ErrorKind::publish,
                      fmt::format("{} was sent {} to {}, without success", quoted(wanted.name),
                                  plural(static_cast<size_t>(sent_[action.index]), "time"),
                                  quoted(goal_.place.target))}
                    .with_hint("run the same command again: files that arrived are recognized by "
                               "their digest"));
  }
  TRY(const std::string url, publish::github_upload_url(goal_.place, state_.release->upload_url));
  ports::HttpRequest request = publish::upload_asset(url, wanted.name);
  request.contents =
      std::make_shared<CheckedBytes>(contents_[action.index], wanted.sha256, wanted.name);
  ++sent_[action.index];
  notify(action.index, UploadStage::sending);
  TRY(const auto reply, api_.change(std::move(request), what));
  if (!reply) return reply.error();
  TRY(GithubAsset asset, publish::read_github_asset(reply->body));
  if (asset.name != wanted.name) {
    return fail(ErrorKind::publish, fmt::format("GitHub stored {} under the name {}",
                                                quoted(wanted.name), quoted(asset.name)));
  }
  // The list after all uploads verifies what GitHub stored.
  asset.complete = true;
  asset.size = wanted.size;
  asset.sha256 = wanted.sha256;
  state_.assets.push_back(std::move(asset));
  state_.list = publish::AssetList::changed;
  notify(action.index, UploadStage::sent);
  return std::nullopt;
}

Acted ReleaseRun::operator()(const publish::ListAssets& /*action*/) {
  TRY(state_.assets, api_.assets_of(state_.release->id, goal_.assets));
  state_.list = publish::AssetList::listed;
  return std::nullopt;
}

Acted ReleaseRun::operator()(const publish::CreateTag& /*action*/) {
  TRY(const auto reply, api_.change(publish::create_tag(goal_),
                                    fmt::format("tag {} was not created", quoted(goal_.tag))));
  if (!reply) return reply.error();
  state_.tag_commit = goal_.commit;
  return std::nullopt;
}

Acted ReleaseRun::operator()(const publish::PublishDraft& /*action*/) {
  TRY(const auto reply, api_.change(publish::publish_draft(goal_, state_.release->id),
                                    "the draft of the release was not published"));
  if (!reply) return reply.error();
  TRY_DONE(read_release(*reply));
  state_.list = publish::AssetList::changed;
  return std::nullopt;
}

/// After a change that may have happened: looks whether it did. One that GitHub refused and that
/// did not happen is an error; others are repeated, with waits.
Done ReleaseRun::recover(const GithubAction& action, Unconfirmed unconfirmed) {
  if (unconfirmed.refused) {
    TRY_DONE(look());
    TRY(const GithubAction next, publish::next_action(goal_, state_));
    return next == action ? Done(fail(std::move(unconfirmed.error))) : Done();
  }
  if (++failures_ >= api_.options().attempts) return fail(std::move(unconfirmed.error));
  api_.notice_retry(unconfirmed.error);
  TRY_DONE(api_.wait(failures_, unconfirmed.asked));
  return look();
}

Result<std::vector<FileOutcome>> ReleaseRun::run() {
  TRY_DONE(look());
  note_present();
  for (;;) {
    TRY(const GithubAction action, publish::next_action(goal_, state_));
    if (std::holds_alternative<publish::ReleaseDone>(action)) break;
    TRY(std::optional<Unconfirmed> unconfirmed, std::visit(*this, action));
    if (unconfirmed) {
      TRY_DONE(recover(action, *std::move(unconfirmed)));
    } else {
      failures_ = 0;
    }
  }
  std::vector<FileOutcome> outcomes;
  for (size_t i = 0; i < goal_.assets.size(); ++i) {
    outcomes.push_back({goal_.assets[i].name, goal_.assets[i].sha256,
                        sent_[i] == 0 ? publish::Outcome::identical : publish::Outcome::uploaded,
                        sent_[i]});
  }
  return outcomes;
}

}  // namespace

namespace {

Result<GithubTarget> target_with_token(const matrix::PublishTarget& target,
                                       const Workplace& workplace,
                                       const std::filesystem::path& token_file,
                                       const CredentialPorts& ports) {
  GithubTarget found;
  TRY(found.place,
      publish::github_place(target.name, target.api, target.repository, workplace.variables));
  CredentialRequest request{target.name, {}, workplace.variables, token_file, workplace.plain_http};
  request.endpoint.upload_url = found.place.api;
  request.use = CredentialUse::github;
  TRY(const Credentials credentials,
      find_credentials(request, credential_sources(request, ports), workplace.mask));
  if (const auto* const known = std::get_if<ports::BasicCredentials>(&credentials)) {
    found.token = known->password;
  }
  return found;
}

}  // namespace

Result<GithubTarget> github_target(const matrix::PublishTarget& target, const Workplace& workplace,
                                   const CredentialPorts& ports) {
  return target_with_token(target, workplace, workplace.token_file, ports);
}

Result<GithubTarget> github_reader(const matrix::PublishTarget& target, const Workplace& workplace,
                                   const CredentialPorts& ports) {
  // The file has the token of the target to which the run uploads.
  Result<GithubTarget> found = target_with_token(target, workplace, {}, ports);
  if (found || found.error().kind != ErrorKind::usage) return found;
  TRY(publish::GithubPlace place,
      publish::github_place(target.name, target.api, target.repository, workplace.variables));
  return GithubTarget{std::move(place)};
}

Result<std::vector<FileOutcome>> publish_github_release(const ReleaseGoal& goal,
                                                        const Contents& contents,
                                                        const GithubApi& api) {
  std::vector<Error> findings = publish::asset_findings(goal.assets);
  if (!findings.empty()) {
    return fail(Error{ErrorKind::check,
                      fmt::format("the release failed the checks for {}, nothing was sent",
                                  quoted(goal.place.target)),
                      std::nullopt, "fix each finding; GitHub would reject the files",
                      std::move(findings)});
  }
  ReleaseRun run(goal, contents, api);
  Result<std::vector<FileOutcome>> outcomes = run.run();
  if (outcomes) return outcomes;
  Error error = api.hidden(std::move(outcomes).error());
  // All attempts are used up: an unanswered question is final.
  if (error.kind == ErrorKind::transient) error.kind = ErrorKind::publish;
  return fail(std::move(error));
}

}  // namespace pinwheel::host
