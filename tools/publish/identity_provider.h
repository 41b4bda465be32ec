#pragma once
#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "publish/endpoints.h"

namespace pinwheel::publish {

/// The services whose jobs can prove who they are, by an identity token (OpenID Connect).
enum class IdentityProvider { github, gitlab, buildkite, circleci, google };

/// All of them, in the order in which a job looks for its own.
inline constexpr std::array kIdentityProviders = {
    IdentityProvider::github, IdentityProvider::gitlab, IdentityProvider::buildkite,
    IdentityProvider::circleci, IdentityProvider::google};

/// The name for people: "GitHub Actions".
std::string_view to_string(IdentityProvider provider);

/// The service that runs the job with these variables; nullopt if none of them does.
std::optional<IdentityProvider> identity_provider(
    const std::map<std::string, std::string>& variables);

/// Whether the job is given identity tokens, as far as its variables tell.
bool offers_identity(IdentityProvider provider,
                     const std::map<std::string, std::string>& variables);

/// Whether each request gives a new identity token. GitLab's is a variable of the job, and an index
/// takes each token once.
bool renews_identity(IdentityProvider provider);

/// The variable that has GitLab's identity token for an audience: "PYPI_ID_TOKEN".
std::string identity_variable(std::string_view audience);

/// What gives a job of GitLab an identity token for that index: "`id_tokens: {PYPI_ID_TOKEN: {aud:
/// pypi}}`". Another index than PyPI's two says itself which audience it has.
std::string gitlab_id_tokens(IndexKind index);

/// Why the job is given no identity token, and what to set up where. Kind `usage`.
Error no_identity(IdentityProvider provider, const std::map<std::string, std::string>& variables,
                  IndexKind index);
/// The same for a place that no provider is known of.
Error no_identity_provider();

/// How a user of that provider lets a job have identity tokens for that index: "grant the job ...".
std::string identity_advice(std::optional<IdentityProvider> provider, IndexKind index);

}  // namespace pinwheel::publish
