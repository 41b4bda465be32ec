#pragma once
/// Trusted publishing: an index issues an upload token, valid for a few minutes, in exchange for
/// the identity token of a job that it trusts. This module makes the requests of the exchange and
/// interprets its replies.
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/result.h"
#include "base/secret.h"
#include "ports/http.h"
#include "publish/endpoints.h"
#include "publish/identity_claims.h"
#include "publish/identity_provider.h"

namespace pinwheel::publish {

/// The index and the job, for messages.
struct ExchangeParties {
  std::string target;  ///< name in the matrix or on the command line
  IndexKind index = IndexKind::other;
  IdentityProvider provider = IdentityProvider::github;
};

/// The base address of the exchange of an index, derived from its upload URL:
/// "https://HOST/_/oidc/". Kind `usage` for plain http to another machine.
Result<std::string> exchange_url(std::string_view upload_url);

ports::HttpRequest audience_request(std::string_view exchange);
/// The audience that identity tokens for this index must have. Kind `publish` if the index does not
/// support the exchange or has disabled it, `transient` if it is busy.
Result<std::string> audience_reply(const ports::HttpResponse& response,
                                   const ExchangeParties& parties);

/// Whether an identity token for an audience may be sent to an index, which can then act as the job
/// wherever that audience is trusted. PyPI and TestPyPI have "pypi" and "testpypi"; any other index
/// has the audience that the matrix sets for it, else its host, its origin or its upload URL. Kind
/// `publish`, naming the index and the audience, for every other one.
Done check_audience(const std::string& audience, const Endpoint& endpoint,
                    const std::string& stated, const ExchangeParties& parties);

ports::HttpRequest exchange_request(std::string_view exchange, const Secret& identity);

struct UploadToken {
  Secret token;
  std::optional<std::chrono::system_clock::time_point> expires = std::nullopt;
};
/// Kind `publish` if the index rejects the token, with the required settings and the claims that
/// the index saw, or without them if the reply is not one of the exchange; `transient` if it is
/// busy. No error contains the identity token, even if the index echoes it.
Result<UploadToken> exchange_reply(const ports::HttpResponse& response, const Secret& identity,
                                   const ExchangeParties& parties);

ports::HttpRequest revocation_request(std::string_view exchange, const Secret& token);
/// Kind `publish` unless the index confirms that the token is revoked.
Done revocation_reply(const ports::HttpResponse& response);

/// How long a token is used before it is exchanged again: two thirds of its lifetime, 10 minutes at
/// most.
std::chrono::milliseconds fresh_for(const UploadToken& token,
                                    std::chrono::system_clock::time_point now);

/// Why an index issued no upload token for an identity token: its answer, the required settings,
/// and, as a cause, the claims that it saw. Never the token.
Error exchange_error(const ports::HttpResponse& response, const Secret& identity,
                     const ExchangeParties& parties);

/// The advice for an index that rejects a file of a job to which it issued a token: the publisher
/// that the project needs, by the claims of the identity token. It does not contain the token.
std::string exchanged_token_advice(const Secret& identity, const ExchangeParties& parties);

}  // namespace pinwheel::publish
