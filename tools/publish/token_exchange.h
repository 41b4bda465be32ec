#pragma once
/// Trusted publishing: an index gives an upload token of a few minutes for the identity token of a
/// job that it trusts. Requests of that exchange, and what its replies mean.
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

/// The address below which an index has its exchange, for its upload URL: "https://HOST/_/oidc/".
/// Kind `usage` for plain http to another machine.
Result<std::string> exchange_url(std::string_view upload_url);

ports::HttpRequest audience_request(std::string_view exchange);
/// The audience that identity tokens for this index must have. Kind `publish` if the index does not
/// speak the exchange or has turned it off, `transient` if it is busy.
Result<std::string> audience_reply(const ports::HttpResponse& response,
                                   const ExchangeParties& parties);

/// Whether an identity token for an audience may go to an index: with it, the index can act as the
/// job wherever that audience is trusted. PyPI and TestPyPI have "pypi" and "testpypi"; any other
/// index has the audience that the matrix states for it, else its host, its origin or its upload
/// URL. Kind `publish`, naming the index and the audience, for every other one.
Done check_audience(const std::string& audience, const Endpoint& endpoint,
                    const std::string& stated, const ExchangeParties& parties);

ports::HttpRequest mint_request(std::string_view exchange, const Secret& identity);

struct UploadToken {
  Secret token;
  std::optional<std::chrono::system_clock::time_point> expires = std::nullopt;
};
/// Kind `publish`, with what to set up where and the claims that the index saw, if it refuses, and
/// without them if the answer is none of the exchange; `transient` if it is busy. No error contains
/// the identity token, even if the index echoes it.
Result<UploadToken> mint_reply(const ports::HttpResponse& response, const Secret& identity,
                               const ExchangeParties& parties);

ports::HttpRequest burn_request(std::string_view exchange, const Secret& token);
/// Kind `publish` if the token is not known to be burnt.
Done burn_reply(const ports::HttpResponse& response);

/// How long a token is used before another is minted: two thirds of its life, 10 minutes at most.
std::chrono::milliseconds fresh_for(const UploadToken& token,
                                    std::chrono::system_clock::time_point now);

/// Why an index gave no upload token for an identity token: what it answered, what to set up where,
/// and, as a cause, the claims that it saw. Never the token.
Error exchange_error(const ports::HttpResponse& response, const Secret& identity,
                     const ExchangeParties& parties);

/// What to do where an index refuses a file of a job that it gave a token: the publisher that the
/// project needs, by the claims of the identity token. It has no token.
std::string minted_token_advice(const Secret& identity, const ExchangeParties& parties);

}  // namespace pinwheel::publish
