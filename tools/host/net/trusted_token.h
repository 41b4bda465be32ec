#pragma once
#include <map>
#include <string>

#include "base/result.h"
#include "base/secret.h"
#include "host/net/credentials.h"
#include "ports/http.h"
#include "publish/identity_provider.h"

namespace pinwheel::host {

/// Exchanges a new identity token of the job for an upload token of the index (trusted publishing):
/// gets the audience from the index, which must be its own, an identity token for it from the CI
/// service, and the upload token from the index. Identity tokens are masked; the caller masks the
/// upload token. Revoking it sends a request to the index. Kind `transient` if another identity
/// token may succeed, `usage` for a job without one, else `publish` or those of the ports; no error
/// contains a token.
Result<ExchangedCredentials> exchange_trusted_token(const CredentialRequest& request,
                                                    publish::IdentityProvider provider,
                                                    const CredentialPorts& ports);

struct IdentityRequest {
  publish::IdentityProvider provider = publish::IdentityProvider::github;
  std::string audience;
  std::map<std::string, std::string> variables = {};  ///< of the job
};

/// An identity token of the job for that audience, a new one if the provider issues new ones; it is
/// masked before it is returned. Kind `usage` if the job has none, `transient` if the provider is
/// busy, `publish` for another answer, else those of the ports.
Result<Secret> identity_token(const IdentityRequest& request, const CredentialPorts& ports);

}  // namespace pinwheel::host
