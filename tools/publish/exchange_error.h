#pragma once
#include "base/error.h"
#include "base/secret.h"
#include "ports/http.h"
#include "publish/token_exchange.h"

namespace pinwheel::publish {

/// Why an index gave no upload token for an identity token: what it answered, what to set up where,
/// and, as a cause, the claims that it saw. Never the token.
Error exchange_error(const ports::HttpResponse& response, const Secret& identity,
                     const ExchangeParties& parties);

}  // namespace pinwheel::publish
