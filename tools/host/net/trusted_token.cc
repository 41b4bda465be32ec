#include "host/net/trusted_token.h"

#include <utility>

#include "host/net/identity_token.h"
#include "host/net/small_reply.h"
#include "publish/exchange_error.h"
#include "publish/token_exchange.h"

namespace pinwheel::host {
namespace {

Done burn(ports::Http& http, const std::string& exchange, const Secret& token) {
  TRY(const ports::HttpResponse response,
      small_reply(http, publish::burn_request(exchange, token)));
  return publish::burn_reply(response);
}

/// A fault that may pass is one to repeat only if the next attempt has another identity token.
Error as_final(Error error, publish::IdentityProvider provider) {
  if (error.kind == ErrorKind::transient && !publish::renews_identity(provider)) {
    error.kind = ErrorKind::publish;
  }
  return error;
}

Result<publish::UploadToken> mint_token(const std::string& exchange, const Secret& identity,
                                        const publish::ExchangeParties& parties,
                                        ports::Http& http) {
  TRY(const ports::HttpResponse response,
      small_reply(http, publish::mint_request(exchange, identity)));
  return publish::mint_reply(response, identity, parties);
}

}  // namespace

Result<MintedCredentials> mint_trusted(const CredentialRequest& request,
                                       publish::IdentityProvider provider,
                                       const CredentialPorts& ports) {
  const publish::ExchangeParties parties{request.target, request.endpoint.kind, provider};
  TRY(const std::string exchange, publish::exchange_url(request.endpoint.upload_url));
  TRY(const ports::HttpResponse asked,
      small_reply(ports.http, publish::audience_request(exchange)));
  TRY(const std::string audience, publish::audience_reply(asked, parties));
  TRY_DONE(publish::check_audience(audience, request.endpoint, request.audience, parties));
  TRY(const Secret identity, identity_token({provider, audience, request.variables}, ports));
  Result<publish::UploadToken> token = mint_token(exchange, identity, parties, ports.http);
  if (!token) return fail(as_final(std::move(token).error(), provider));
  MintedCredentials minted{{"__token__", token->token}};
  if (publish::renews_identity(provider)) {
    minted.fresh_for = publish::fresh_for(*token, ports.clock.now());
  }
  minted.ends = token->expires;
  minted.advice = publish::minted_token_advice(identity, parties);
  minted.burn = [&http = ports.last_http, exchange, secret = token->token] {
    return burn(http, exchange, secret);
  };
  return minted;
}

}  // namespace pinwheel::host
