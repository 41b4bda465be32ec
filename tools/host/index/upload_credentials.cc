#include "host/index/upload_credentials.h"

#include <fmt/format.h>

#include <utility>
#include <variant>

#include "base/text.h"

namespace pinwheel::host {

namespace {

void revoke_token(const ExchangedCredentials& spent, const std::string& target,
                  const UploadHooks& hooks) {
  if (!spent.revoke) return;
  const Done revoked = spent.revoke();
  if (revoked || !hooks.notice) return;
  hooks.notice(
      fmt::format("warning: the upload token of {} was not revoked, and expires within minutes: {}",
                  quoted(target), redact(revoked.error().message, spent.credentials.password)));
}

}  // namespace

UploadCredentials::UploadCredentials(const UploadTarget& target, const UploadHooks& hooks)
    : target_(target), hooks_(hooks), index_{target.name, target.endpoint} {}

Done UploadCredentials::open() {
  if (!target_.credentials) return {};
  if (const auto* known = std::get_if<ports::BasicCredentials>(&*target_.credentials)) {
    index_.credentials = *known;
    return {};
  }
  return exchange(std::get<CredentialExchange>(*target_.credentials));
}

Done UploadCredentials::renew() {
  if (!stale_ || hooks_.now() < *stale_) return {};
  Done renewed = replace();
  const bool passes = !renewed && renewed.error().kind == ErrorKind::transient;
  const bool lasts = exchanged_ && exchanged_->ends && hooks_.now() < *exchanged_->ends;
  if (!passes || !lasts) return renewed;
  if (hooks_.notice) {
    hooks_.notice(
        fmt::format("the upload token of {} could not be renewed and is used until it expires: {}",
                    quoted(target_.name), hidden_of(index_).mask(renewed.error().message)));
  }
  return {};
}

Done UploadCredentials::replace() {
  return exchange(std::get<CredentialExchange>(*target_.credentials));
}

Done UploadCredentials::exchange(const CredentialExchange& source) {
  TRY(ExchangedCredentials fresh, source());
  if (index_.credentials) index_.earlier.push_back(*std::move(index_.credentials));
  index_.credentials = fresh.credentials;
  stale_.reset();
  if (fresh.fresh_for && hooks_.now) stale_ = hooks_.now() + *fresh.fresh_for;
  const auto revoke = [target = &target_, hooks = &hooks_](const ExchangedCredentials* spent) {
    const std::unique_ptr<const ExchangedCredentials> owned(spent);
    revoke_token(*owned, target->name, *hooks);
  };
  exchanged_.reset(new ExchangedCredentials(std::move(fresh)), revoke);
  return {};
}

std::string UploadCredentials::advice() const {
  if (!exchanged_) return {};
  const bool ended = exchanged_->ends && hooks_.now && hooks_.now() >= *exchanged_->ends;
  if (!ended) return exchanged_->advice;
  return "the token expired during the upload: publish a smaller file, or use a faster connection";
}

}  // namespace pinwheel::host
