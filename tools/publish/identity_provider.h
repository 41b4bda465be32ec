#pragma once
#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "publish/endpoints.h"

namespace pinwheel::publish {

/// The services whose jobs can prove their identity by an identity token (OpenID Connect).
enum class IdentityProvider { github, gitlab, buildkite, circleci, google };

/// All providers, in the order in which a job looks for its own.
inline constexpr std::array kIdentityProviders = {
    IdentityProvider::github, IdentityProvider::gitlab, IdentityProvider::buildkite,
    IdentityProvider::circleci, IdentityProvider::google};

/// The name for people: "GitHub Actions".
std::string_view to_string(IdentityProvider provider);

/// The service that runs the job with these variables; nullopt without one.
std::optional<IdentityProvider> identity_provider(
    const std::map<std::string, std::string>& variables);

/// Whether the job can get identity tokens, according to its variables.
bool offers_identity(IdentityProvider provider,
                     const std::map<std::string, std::string>& variables);

/// Whether each request returns a new identity token. GitLab's token is a variable of the job, and
/// an index accepts each token once.
bool renews_identity(IdentityProvider provider);

/// The variable with GitLab's identity token for an audience: "PYPI_ID_TOKEN".
std::string identity_variable(std::string_view audience);

/// The setting that gives a GitLab job an identity token for that index: "`id_tokens:
/// {PYPI_ID_TOKEN: {aud: pypi}}`". Indexes other than PyPI's two define their own audience.
std::string gitlab_id_tokens(IndexKind index);

/// Why the job gets no identity token, and which setting is missing where. Kind `usage`.
Error no_identity(IdentityProvider provider, const std::map<std::string, std::string>& variables,
                  IndexKind index);
/// The same for an environment without a known provider.
Error no_identity_provider();

/// How a user of that provider allows a job to get identity tokens for that index: "grant the job
/// ...".
std::string identity_advice(std::optional<IdentityProvider> provider, IndexKind index);

}  // namespace pinwheel::publish
