#pragma once
#include "base/result.h"
#include "host/net/credentials.h"
#include "publish/identity_provider.h"

namespace pinwheel::host {

/// Exchanges a new identity token of the job for an upload token of the index (trusted publishing):
/// asks the index for its audience, which must be its own, the CI service for an identity token
/// with it, and the index for the upload token. Identity tokens are masked; the caller masks the
/// upload token. Burning it asks the index to forget it. Kind `transient` if the same may succeed
/// with another identity token, `usage` for a job without one, else `publish` or those of the
/// ports; no error has a token.
Result<MintedCredentials> mint_trusted(const CredentialRequest& request,
                                       publish::IdentityProvider provider,
                                       const CredentialPorts& ports);

}  // namespace pinwheel::host
