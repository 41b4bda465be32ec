#include "host/index/upload_credentials.h"

#include <fmt/format.h>

#include <utility>
#include <variant>

#include "base/text.h"

namespace pinwheel::host {

UploadCredentials::UploadCredentials(const UploadTarget& target, const UploadHooks& hooks)
    : target_(target), hooks_(hooks), index_{target.name, target.endpoint} {}

UploadCredentials::~UploadCredentials() {
  revoke();
}

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
  revoke();
  if (index_.credentials) index_.earlier.push_back(*std::move(index_.credentials));
  index_.credentials = fresh.credentials;
  stale_.reset();
  if (fresh.fresh_for && hooks_.now) stale_ = hooks_.now() + *fresh.fresh_for;
  exchanged_ = std::move(fresh);
  return {};
}

std::string UploadCredentials::advice() const {
  if (!exchanged_) return {};
  const bool ended = exchanged_->ends && hooks_.now && hooks_.now() >= *exchanged_->ends;
  if (!ended) return exchanged_->advice;
  return "the token expired during the upload: publish a smaller file, or use a faster connection";
}

void UploadCredentials::revoke() {
  const std::optional<ExchangedCredentials> spent = std::exchange(exchanged_, std::nullopt);
  if (!spent || !spent->revoke) return;
  const Done revoked = spent->revoke();
  if (revoked || !hooks_.notice) return;
  hooks_.notice(fmt::format(
      "warning: the upload token of {} was not revoked, and expires within minutes: {}",
      quoted(target_.name), redact(revoked.error().message, spent->credentials.password)));
}

}  // namespace pinwheel::host
