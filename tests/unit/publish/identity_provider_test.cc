#include "publish/identity_provider.h"

#include <vector>

#include "unit/catch.h"

using namespace pinwheel;
using publish::IdentityProvider;

namespace {

using Variables = std::map<std::string, std::string>;

}  // namespace

TEST_CASE("the variables of a job show which service runs it, and whether it has an identity") {
  struct Case {
    Variables variables;
    std::optional<IdentityProvider> provider;
    bool offers = false;
  };
  const std::vector<Case> cases = {
      {{}, std::nullopt},
      {{{"GITHUB_ACTIONS", "false"}}, std::nullopt},
      {{{"GITHUB_ACTIONS", "true"}}, IdentityProvider::github},
      {{{"GITHUB_ACTIONS", "true"}, {"ACTIONS_ID_TOKEN_REQUEST_URL", "https://a.example"}},
       IdentityProvider::github},
      {{{"GITHUB_ACTIONS", "true"},
        {"ACTIONS_ID_TOKEN_REQUEST_URL", "https://a.example"},
        {"ACTIONS_ID_TOKEN_REQUEST_TOKEN", "x"}},
       IdentityProvider::github,
       true},
      {{{"GITLAB_CI", "true"}}, IdentityProvider::gitlab},
      {{{"GITLAB_CI", "true"}, {"PYPI_ID_TOKEN", "x"}}, IdentityProvider::gitlab, true},
      {{{"CIRCLECI", "true"}}, IdentityProvider::circleci},
      {{{"CIRCLECI", "true"}, {"CIRCLE_OIDC_TOKEN_V2", "x"}}, IdentityProvider::circleci, true},
      {{{"BUILDKITE", "true"}}, IdentityProvider::buildkite, true},
      {{{"GOOGLE_SERVICE_ACCOUNT_NAME", "a@b.example"}}, IdentityProvider::google, true},
  };
  for (const Case& each : cases) {
    const auto found = publish::identity_provider(each.variables);
    CHECK(found == each.provider);
    if (found) CHECK(publish::offers_identity(*found, each.variables) == each.offers);
  }
}

TEST_CASE("a job without an identity is told what to set up") {
  const Error plain = publish::no_identity(
      IdentityProvider::github, {{"GITHUB_EVENT_NAME", "push"}}, publish::IndexKind::pypi);
  CHECK(plain.kind == ErrorKind::usage);
  CHECK(plain.hint.starts_with("grant the job `permissions: {id-token: write}`"));
  CHECK(plain.hint.find("reusable workflow") != std::string::npos);
  const Error fork = publish::no_identity(
      IdentityProvider::github, {{"GITHUB_EVENT_NAME", "pull_request"}}, publish::IndexKind::pypi);
  CHECK(fork.message.ends_with("it runs for a pull request"));
  CHECK(fork.hint.starts_with("GitHub gives no identity to pull requests from forks"));
  for (const IdentityProvider provider : publish::kIdentityProviders) {
    const Error error = publish::no_identity(provider, {}, publish::IndexKind::other);
    CHECK(error.message.find(publish::to_string(provider)) != std::string::npos);
    CHECK_FALSE(error.hint.empty());
    CHECK(publish::no_identity_provider().hint.find(publish::to_string(provider)) !=
          std::string::npos);
  }
}

TEST_CASE("a job of GitLab is told the token of its index") {
  const auto advice = [](publish::IndexKind index) {
    return publish::identity_advice(IdentityProvider::gitlab, index);
  };
  CHECK(advice(publish::IndexKind::pypi) ==
        "give the job `id_tokens: {PYPI_ID_TOKEN: {aud: pypi}}`");
  CHECK(advice(publish::IndexKind::testpypi) ==
        "give the job `id_tokens: {TESTPYPI_ID_TOKEN: {aud: testpypi}}`");
  CHECK(advice(publish::IndexKind::other) ==
        "give the job `id_tokens` with the audience of the index, as is "
        "`id_tokens: {PYPI_ID_TOKEN: {aud: pypi}}` for PyPI");
  CHECK(publish::no_identity(IdentityProvider::gitlab, {}, publish::IndexKind::testpypi)
            .hint.find("{aud: testpypi}") != std::string::npos);
}

TEST_CASE("GitLab's variable is named after the audience, and its token cannot be renewed") {
  CHECK(publish::identity_variable("pypi") == "PYPI_ID_TOKEN");
  CHECK(publish::identity_variable("my-index.example") == "MY_INDEX_EXAMPLE_ID_TOKEN");
  for (const IdentityProvider provider : publish::kIdentityProviders) {
    CHECK(publish::renews_identity(provider) == (provider != IdentityProvider::gitlab));
  }
}
