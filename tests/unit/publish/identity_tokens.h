#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "base/digest.h"
#include "base/secret.h"

namespace pinwheel {

/// An unsigned JSON Web Token with these claims.
inline Secret identity_token_with(const nlohmann::json& claims) {
  return Secret(base64url(R"({"alg":"RS256","kid":"k"})") + "." + base64url(claims.dump()) +
                ".c2lnbmF0dXJl");
}

/// GitHub's claims for a job of `.github/workflows/release.yml` in acme/kernels.
inline nlohmann::json github_claims() {
  return {{"iss", "https://token.actions.githubusercontent.com"},
          {"aud", "pypi"},
          {"sub", "repo:acme/kernels:environment:pypi"},
          {"repository", "acme/kernels"},
          {"repository_owner", "acme"},
          {"repository_owner_id", "77"},
          {"workflow_ref", "acme/kernels/.github/workflows/release.yml@refs/tags/v1"},
          {"job_workflow_ref", "acme/kernels/.github/workflows/release.yml@refs/tags/v1"},
          {"event_name", "push"},
          {"environment", "pypi"},
          {"jti", "b6f8-secret"}};
}

}  // namespace pinwheel
