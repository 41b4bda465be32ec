#pragma once
#include <string>

#include "base/error.h"
#include "base/secret.h"
#include "ports/http.h"
#include "publish/token_exchange.h"

namespace pinwheel::publish {

/// Why an index gave no upload token for an identity token: what it answered, what to set up where,
/// and, as a cause, the claims that it saw. Never the token.
Error exchange_error(const ports::HttpResponse& response, const Secret& identity,
                     const ExchangeParties& parties);

/// What to do where an index refuses a file of a job that it gave a token: the publisher that the
/// project needs, by the claims of the identity token. It has no token.
std::string minted_token_advice(const Secret& identity, const ExchangeParties& parties);

}  // namespace pinwheel::publish
