#include "publish/identity_provider.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/text.h"

namespace pinwheel::publish {
namespace {

using Variables = std::map<std::string, std::string>;

constexpr std::string_view kIdTokenSuffix = "_ID_TOKEN";

bool is_set(const Variables& variables, const std::string& name) {
  return !value_at(variables, name).empty();
}

bool runs_job(IdentityProvider provider, const Variables& variables) {
  switch (provider) {
    case IdentityProvider::github:
      return value_at(variables, "GITHUB_ACTIONS") == "true";
    case IdentityProvider::gitlab:
      return is_set(variables, "GITLAB_CI");
    case IdentityProvider::buildkite:
      return is_set(variables, "BUILDKITE");
    case IdentityProvider::circleci:
      return is_set(variables, "CIRCLECI");
    case IdentityProvider::google:
      return is_set(variables, "GOOGLE_SERVICE_ACCOUNT_NAME") ||
             is_set(variables, "GCE_METADATA_HOST");
  }
  return false;
}

/// A pull request from a fork has no identity, regardless of the permissions that its workflow
/// requests.
bool is_pull_request(const Variables& variables) {
  return value_at(variables, "GITHUB_EVENT_NAME") == "pull_request";
}

}  // namespace

std::string_view to_string(IdentityProvider provider) {
  switch (provider) {
    case IdentityProvider::github:
      return "GitHub Actions";
    case IdentityProvider::gitlab:
      return "GitLab CI/CD";
    case IdentityProvider::buildkite:
      return "Buildkite";
    case IdentityProvider::circleci:
      return "CircleCI";
    case IdentityProvider::google:
      return "Google Cloud";
  }
  return {};
}

std::optional<IdentityProvider> identity_provider(const Variables& variables) {
  for (const IdentityProvider provider : kIdentityProviders) {
    if (runs_job(provider, variables)) return provider;
  }
  return std::nullopt;
}

bool offers_identity(IdentityProvider provider, const Variables& variables) {
  switch (provider) {
    case IdentityProvider::github:
      return is_set(variables, "ACTIONS_ID_TOKEN_REQUEST_URL") &&
             is_set(variables, "ACTIONS_ID_TOKEN_REQUEST_TOKEN");
    case IdentityProvider::gitlab:
      return std::ranges::any_of(variables, [](const auto& each) {
        return each.first.ends_with(kIdTokenSuffix) && !each.second.empty();
      });
    case IdentityProvider::circleci:
      return is_set(variables, "CIRCLE_OIDC_TOKEN") || is_set(variables, "CIRCLE_OIDC_TOKEN_V2");
    case IdentityProvider::buildkite:
    case IdentityProvider::google:
      return true;
  }
  return false;
}

bool renews_identity(IdentityProvider provider) {
  switch (provider) {
    case IdentityProvider::gitlab:
      return false;
    case IdentityProvider::github:
    case IdentityProvider::buildkite:
    case IdentityProvider::circleci:
    case IdentityProvider::google:
      return true;
  }
  return false;
}

std::string identity_variable(std::string_view audience) {
  std::string name;
  for (const char c : audience) {
    const unsigned char byte = static_cast<unsigned char>(c);
    name += is_alphanumeric(c) ? static_cast<char>(std::toupper(byte)) : '_';
  }
  return name + std::string(kIdTokenSuffix);
}

std::string gitlab_id_tokens(IndexKind index) {
  const bool known = index != IndexKind::other;
  const std::string_view audience = to_string(known ? index : IndexKind::pypi);
  std::string tokens =
      quoted(fmt::format("id_tokens: {{{}: {{aud: {}}}}}", identity_variable(audience), audience));
  if (known) return tokens;
  return fmt::format("`id_tokens` with the audience of the index, as is {} for PyPI", tokens);
}

std::string identity_advice(std::optional<IdentityProvider> provider, IndexKind index) {
  if (!provider) return "publish from a CI job that the index trusts";
  switch (*provider) {
    case IdentityProvider::github:
      return "grant the job `permissions: {id-token: write}`";
    case IdentityProvider::gitlab:
      return "give the job " + gitlab_id_tokens(index);
    case IdentityProvider::buildkite:
      return "run the step with an agent that may request OIDC tokens";
    case IdentityProvider::circleci:
      return "give the job a context; without one CircleCI issues no OIDC token";
    case IdentityProvider::google:
      return "run the job as a service account";
  }
  return {};
}

Error no_identity(IdentityProvider provider, const Variables& variables, IndexKind index) {
  Error error{ErrorKind::usage,
              fmt::format("this job has no identity token of {}, by which an index could trust it",
                          to_string(provider)),
              std::nullopt,
              identity_advice(provider, index) + ", in the job that publishes",
              {}};
  if (provider != IdentityProvider::github) return error;
  error.hint += "; a job that calls a reusable workflow must grant it, too";
  if (is_pull_request(variables)) {
    error.message += "; it runs for a pull request";
    error.hint =
        "GitHub gives no identity to pull requests from forks: publish when a push, a tag "
        "or a release starts the workflow; elsewhere, " +
        error.hint;
  }
  return error;
}

Error no_identity_provider() {
  std::vector<std::string> names;
  names.reserve(kIdentityProviders.size());
  for (const IdentityProvider provider : kIdentityProviders) {
    names.emplace_back(to_string(provider));
  }
  return {ErrorKind::usage,
          "trusted publishing needs a known CI job, and this is none",
          std::nullopt,
          fmt::format("known are {}; elsewhere, publish with a token (`auth: token`, "
                      "--trusted-publishing never)",
                      join(names, ", ")),
          {}};
}

}  // namespace pinwheel::publish
