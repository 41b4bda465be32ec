#pragma once
#include <map>
#include <string>

#include "base/result.h"
#include "base/secret.h"
#include "host/net/credentials.h"
#include "publish/identity_provider.h"

namespace pinwheel::host {

struct IdentityRequest {
  publish::IdentityProvider provider = publish::IdentityProvider::github;
  std::string audience;
  std::map<std::string, std::string> variables = {};  ///< of the job
};

/// An identity token of the job for that audience, a new one where the provider gives new ones; it
/// is masked before it is returned. Kind `usage` if the job has none, `transient` if the provider
/// is busy, `publish` for another answer of it, else those of the ports.
Result<Secret> identity_token(const IdentityRequest& request, const CredentialPorts& ports);

}  // namespace pinwheel::host
