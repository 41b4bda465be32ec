#include "host/net/trusted_token.h"

#include <nlohmann/json.hpp>

#include "unit/catch.h"
#include "unit/host/credential_bench.h"

using namespace pinwheel;
using publish::IdentityProvider;

namespace {

host::IdentityRequest request(IdentityProvider provider,
                              std::map<std::string, std::string> variables = {}) {
  return {provider, "pypi", std::move(variables)};
}

const std::string kAccount =
    "http://metadata.google.internal/computeMetadata/v1/instance/service-accounts/default/";

}  // namespace

TEST_CASE("an identity token of GitHub is masked before it is returned") {
  CredentialBench bench;
  bench.http.replies["https://a.example/t?audience=pypi"] = {
      200, "", {}, R"({"value":"github-token"})"};
  const auto token = host::identity_token(
      request(IdentityProvider::github, {{"ACTIONS_ID_TOKEN_REQUEST_URL", "https://a.example/t"},
                                         {"ACTIONS_ID_TOKEN_REQUEST_TOKEN", "request"}}),
      bench.ports);
  REQUIRE(token);
  CHECK(token->reveal() == "github-token");
  CHECK(bench.masked == std::vector<std::string>{"github-token"});
}

TEST_CASE("GitLab's identity token is the variable of the index's audience") {
  CredentialBench bench;
  CHECK(host::identity_token(request(IdentityProvider::gitlab, {{"PYPI_ID_TOKEN", "gitlab-token"}}),
                             bench.ports)
            ->reveal() == "gitlab-token");
  const auto other = host::identity_token(
      request(IdentityProvider::gitlab, {{"TESTPYPI_ID_TOKEN", "gitlab-token"}}), bench.ports);
  REQUIRE_FALSE(other);
  CHECK(other.error().kind == ErrorKind::usage);
  CHECK(other.error().hint ==
        "give the job that publishes `id_tokens: {PYPI_ID_TOKEN: {aud: pypi}}`");
}

TEST_CASE("Google's metadata server gives the identity of the machine or of an account") {
  CredentialBench bench;
  bench.http.replies[kAccount + "identity?audience=pypi&format=full"] = {
      200, "", {}, "machine-token"};
  CHECK(host::identity_token(request(IdentityProvider::google), bench.ports)->reveal() ==
        "machine-token");
  bench.http.replies[kAccount + "token?scopes=https://www.googleapis.com/auth/cloud-platform"] = {
      200, "", {}, R"({"access_token":"access-token"})"};
  bench.http.replies
      ["https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/"
       "me:generateIdToken"] = {200, "", {}, R"({"token":"account-token"})"};
  bench.masked.clear();
  CHECK(host::identity_token(
            request(IdentityProvider::google, {{"GOOGLE_SERVICE_ACCOUNT_NAME", "me"}}), bench.ports)
            ->reveal() == "account-token");
  CHECK(bench.masked == std::vector<std::string>{"access-token", "account-token"});
}

TEST_CASE("what cannot be an identity token is refused, whoever gives it") {
  const std::map<std::string, std::string> github = {
      {"ACTIONS_ID_TOKEN_REQUEST_URL", "https://a.example/t"},
      {"ACTIONS_ID_TOKEN_REQUEST_TOKEN", "request"}};
  for (const std::string given :
       {"eyJ\xff.abc.def-token", "warning: old agent\neyJhbGci.abc.def", "<html> login </html>"}) {
    CredentialBench bench;
    nlohmann::json body;
    body["value"] = given == "eyJ\xff.abc.def-token" ? "eyJ\u00ff.abc.def-token" : given;
    bench.http.replies["https://a.example/t?audience=pypi"] = {200, "", {}, body.dump()};
    bench.http.replies[kAccount + "identity?audience=pypi&format=full"] = {200, "", {}, given};
    bench.process.out = given;
    const std::vector<std::pair<host::IdentityRequest, std::string>> asked = {
        {request(IdentityProvider::github, github), "GitHub Actions"},
        {request(IdentityProvider::gitlab, {{"PYPI_ID_TOKEN", given}}), "GitLab CI/CD"},
        {request(IdentityProvider::google), "Google Cloud"},
        {request(IdentityProvider::buildkite), "`buildkite-agent`"},
        {request(IdentityProvider::circleci), "`circleci`"}};
    for (const auto& [identity, by] : asked) {
      CAPTURE(given, by);
      const auto token = host::identity_token(identity, bench.ports);
      REQUIRE_FALSE(token);
      CHECK(token.error().kind == ErrorKind::publish);
      CHECK(token.error().message == by + " answered without an identity token");
      CHECK(bench.masked.empty());
    }
  }
}

TEST_CASE("Buildkite's and CircleCI's programs print the token and see only their own variables") {
  CredentialBench bench;
  bench.process.out = "printed-token\n";
  const std::map<std::string, std::string> variables = {
      {"PATH", "/bin"},     {"BUILDKITE_JOB_ID", "1"},     {"CIRCLE_TOKEN", "2"},
      {"OTHER_TOKEN", "3"}, {"HTTPS_PROXY", "http://p:1"}, {"SSL_CERT_FILE", "/ca.pem"}};
  for (const IdentityProvider provider :
       {IdentityProvider::buildkite, IdentityProvider::circleci}) {
    CHECK(host::identity_token(request(provider, variables), bench.ports)->reveal() ==
          "printed-token");
  }
  REQUIRE(bench.process.ran.size() == 2);
  CHECK(bench.process.ran[0].argv.front() == "buildkite-agent");
  CHECK(bench.process.ran[0].environment ==
        std::map<std::string, std::string>{{"PATH", "/bin"},
                                           {"BUILDKITE_JOB_ID", "1"},
                                           {"HTTPS_PROXY", "http://p:1"},
                                           {"SSL_CERT_FILE", "/ca.pem"}});
  CHECK(bench.process.ran[1].argv.front() == "circleci");
  CHECK(bench.process.ran[1].environment ==
        std::map<std::string, std::string>{{"PATH", "/bin"},
                                           {"CIRCLE_TOKEN", "2"},
                                           {"HTTPS_PROXY", "http://p:1"},
                                           {"SSL_CERT_FILE", "/ca.pem"}});
  bench.process.code = 1;
  const auto failed = host::identity_token(request(IdentityProvider::buildkite), bench.ports);
  REQUIRE_FALSE(failed);
  CHECK(failed.error().message == "`buildkite-agent` gave the job no identity token of Buildkite");
}

TEST_CASE("what a program says of a token that it does not give is in the error") {
  CredentialBench bench;
  bench.process.out = "printed-token\n";
  bench.process.err = "connecting\n\nfatal: no agent for printed-token\n";
  bench.process.code = 1;
  const auto failed = host::identity_token(request(IdentityProvider::buildkite), bench.ports);
  REQUIRE_FALSE(failed);
  CHECK(failed.error().kind == ErrorKind::publish);
  REQUIRE(failed.error().causes.size() == 1);
  CHECK(failed.error().causes.front().message ==
        "`buildkite-agent` says: `connecting fatal: no agent for ***`");
  bench.process.err.clear();
  bench.process.late = true;
  const auto late = host::identity_token(request(IdentityProvider::circleci), bench.ports);
  REQUIRE_FALSE(late);
  CHECK(late.error().kind == ErrorKind::transient);
  CHECK(late.error().message == "`circleci` gave the job no identity token of CircleCI within 30s");
  CHECK(late.error().causes.empty());
  CHECK(bench.process.ran.back().timeout == std::chrono::seconds(30));
}

TEST_CASE("an identity service is waited for as long as a program") {
  CredentialBench bench;
  const std::map<std::string, std::string> github = {
      {"ACTIONS_ID_TOKEN_REQUEST_URL", "https://a.example/t"},
      {"ACTIONS_ID_TOKEN_REQUEST_TOKEN", "request"}};
  CHECK_FALSE(host::identity_token(request(IdentityProvider::github, github), bench.ports));
  CHECK_FALSE(host::identity_token(request(IdentityProvider::google), bench.ports));
  REQUIRE(bench.http.asked.size() == 2);
  for (const ports::HttpRequest& asked : bench.http.asked) {
    CHECK(asked.patience == std::chrono::seconds(30));
  }
}
