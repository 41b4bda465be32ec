#include "publish/token_exchange.h"

#include "unit/catch.h"
#include "unit/publish/identity_tokens.h"

using namespace pinwheel;
using publish::ExchangeParties;
using publish::IdentityProvider;
using publish::IndexKind;

namespace {

ports::HttpResponse refused(const std::string& code, const std::string& description) {
  const nlohmann::json error = {{"code", code}, {"description", description}};
  nlohmann::json body;
  body["message"] = "Token request failed";
  body["errors"] = nlohmann::json::array({error});
  return {422, "Unprocessable Entity", {{"content-type", "application/json"}}, body.dump()};
}

const std::string kNoPublisher =
    "valid token, but no corresponding publisher (Publisher with matching claims was not found)";

Error github_error(const ports::HttpResponse& response,
                   const nlohmann::json& claims = github_claims()) {
  return publish::exchange_error(response, identity_token_with(claims),
                                 {"pypi", IndexKind::pypi, IdentityProvider::github});
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a job without a publisher is told the publisher to add, and what the index saw") {
  const Error error = github_error(refused("invalid-publisher", kNoPublisher));
  CHECK(error.kind == ErrorKind::publish);
  CHECK(error.message == "`pypi` does not trust this job: HTTP 422, `" + kNoPublisher + "`");
  CHECK(error.hint.starts_with(
      "add a publisher of GitHub Actions on https://pypi.org, in the project's settings"));
  CHECK(error.hint.ends_with(
      "repository `acme/kernels`, workflow `release.yml`, environment `pypi`"));
  REQUIRE(error.causes.size() == 1);
  CHECK(error.causes.front().message.starts_with("the identity token of GitHub Actions says: "));
  CHECK(has(error.causes.front().message, "repository_owner_id `77`"));
  nlohmann::json claims = github_claims();
  claims.erase("environment");
  CHECK(github_error(refused("invalid-publisher", kNoPublisher), claims)
            .hint.ends_with(", no environment"));
}

TEST_CASE("a reusable workflow and pull_request_target are named as what no index trusts") {
  nlohmann::json claims = github_claims();
  claims["job_workflow_ref"] = "acme/shared/.github/workflows/publish.yml@refs/heads/main";
  const Error reusable = github_error(refused("invalid-publisher", kNoPublisher), claims);
  CHECK(reusable.hint.starts_with(
      "move the job that publishes out of the reusable workflow `.github/workflows/publish.yml` "
      "into `.github/workflows/release.yml`"));
  const char* const claimed_text =
      "valid token, but no corresponding publisher (Publishing from a workflow invoked via "
      "'pull_request_target' is not supported.)";
  CHECK(has(github_error(refused("invalid-publisher", claimed_text)).hint,
            "code that anybody may propose"));
  claims = github_claims();
  claims["event_name"] = "pull_request_target";
  CHECK(has(github_error(refused("invalid-publisher", kNoPublisher), claims).hint,
            "code that anybody may propose"));
}

TEST_CASE("each code of a refusal has advice of its own") {
  CHECK(has(
      github_error(refused("invalid-pending-publisher", "valid token, but project already exists"))
          .hint,
      "names a project that already exists"));
  CHECK(has(github_error(refused("invalid-reuse-token", "invalid token: already used")).hint,
            "a new identity token"));
  CHECK(has(github_error(refused("not-enabled",
                                 "GitHub-based trusted publishing functionality "
                                 "not enabled"))
                .hint,
            "does not accept tokens of GitHub Actions"));
  CHECK(has(github_error(refused("invalid-payload", "unknown trusted publishing issuer")).hint,
            "`https://token.actions.githubusercontent.com`"));
  const Error unwanted = github_error(
      refused("invalid-payload", "The name 'demo-ops' is too similar to an existing project."));
  CHECK_FALSE(has(unwanted.hint, "issuer"));
  CHECK(has(unwanted.hint, "correct its project name, on https://pypi.org"));
  CHECK(has(github_error(refused("invalid-token", "malformed or invalid token")).hint,
            "the clock of the machine"));
  CHECK(has(github_error(refused("something-new", "no")).hint, "publish with a token"));
  CHECK(github_error({418, "", {{"content-type", "text/plain"}}, "tea"}).message ==
        "`pypi` does not trust this job: HTTP 418, `tea`");
}

TEST_CASE("other providers have publishers of other fields, on other indexes") {
  const nlohmann::json gitlab = {
      {"project_path", "acme/kernels"},
      {"ci_config_ref_uri", "gitlab.com/acme/kernels//.gitlab-ci.yml@refs/heads/main"}};
  const Error error = publish::exchange_error(
      refused("invalid-publisher", kNoPublisher), identity_token_with(gitlab),
      {"testpypi", IndexKind::testpypi, IdentityProvider::gitlab});
  CHECK(has(error.hint, "https://test.pypi.org"));
  CHECK(has(error.hint, "project `acme/kernels`, pipeline file of `gitlab.com/acme/kernels//"));
  const Error reused = publish::exchange_error(
      refused("invalid-reuse-token", "invalid token: already used"), identity_token_with(gitlab),
      {"testpypi", IndexKind::testpypi, IdentityProvider::gitlab});
  CHECK(reused.hint.starts_with("run the job again"));
  const Error google = publish::exchange_error(
      refused("invalid-publisher", kNoPublisher), identity_token_with({{"email", "a@b.example"}}),
      {"mine", IndexKind::other, IdentityProvider::google});
  CHECK(has(google.hint, "where `mine` lists the publishers of the project: email `a@b.example`"));
}

TEST_CASE("a job of CircleCI is told the fields that its publisher has") {
  nlohmann::json claims = {{"iss", "https://oidc.circleci.com"}, {"sub", "org/1/project/2"}};
  for (const char* name : {"org-id", "project-id", "pipeline-definition-id"}) {
    claims[std::string("oidc.circleci.com/") + name] = std::string("the-") + name;
  }
  const auto refusal = [&claims] {
    return publish::exchange_error(refused("invalid-publisher", kNoPublisher),
                                   identity_token_with(claims),
                                   {"pypi", IndexKind::pypi, IdentityProvider::circleci});
  };
  const std::string fields =
      "organization ID `the-org-id`, project ID `the-project-id`, pipeline definition ID "
      "`the-pipeline-definition-id`";
  CHECK(refusal().hint.ends_with(fields));
  claims["oidc.circleci.com/context-ids"] = {"c1", "c2"};
  claims["oidc.circleci.com/vcs-ref"] = "refs/heads/main";
  CHECK(refusal().hint.ends_with(
      fields + "; optional fields: context ID `c1, c2`, VCS ref `refs/heads/main`"));
  const std::string shown = refusal().causes.front().message;
  CHECK(has(shown, "oidc.circleci.com/org-id `the-org-id`"));
  CHECK(has(shown, "oidc.circleci.com/context-ids `c1, c2`"));
  claims["oidc.circleci.com/ssh-rerun"] = true;
  CHECK(has(refusal().hint, "without SSH"));
}

TEST_CASE("a job of GitLab is told the audience of its index") {
  const Error error =
      publish::exchange_error(refused("invalid-token", "malformed or invalid token"),
                              identity_token_with({{"aud", "pypi"}}),
                              {"testpypi", IndexKind::testpypi, IdentityProvider::gitlab});
  CHECK(has(error.hint, "`id_tokens: {TESTPYPI_ID_TOKEN: {aud: testpypi}}`"));
}

TEST_CASE("a job whose token is not for a project is told the publisher that the project needs") {
  const std::string advice = publish::exchanged_token_advice(
      identity_token_with(github_claims()), {"pypi", IndexKind::pypi, IdentityProvider::github});
  CHECK(has(advice,
            "the project of this file needs a publisher of GitHub Actions on https://pypi.org"));
  CHECK(advice.ends_with("repository `acme/kernels`, workflow `release.yml`, environment `pypi`"));
}

TEST_CASE("an identity token that the index echoes is in no error") {
  const Secret identity = identity_token_with(github_claims());
  for (const char* code : {"invalid-token", "invalid-publisher", "other"}) {
    const Error error =
        publish::exchange_error(refused(code, "bad token " + identity.reveal() + "!"), identity,
                                {"pypi", IndexKind::pypi, IdentityProvider::github});
    CHECK_FALSE(has(render(error), identity.reveal()));
    CHECK(has(render(error), "bad token ***!"));
  }
}

TEST_CASE("what an index says at length is cut after the identity token in it was hidden") {
  const Secret identity = identity_token_with(github_claims());
  REQUIRE(identity.reveal().size() > 100);
  const std::string long_text(490, 'x');
  const ports::HttpResponse in_message = {
      422, "", {{"content-type", "text/plain"}}, long_text + " " + identity.reveal()};
  for (const ports::HttpResponse& reply :
       {refused("invalid-token", long_text + " " + identity.reveal()), in_message}) {
    const Error error = publish::exchange_error(
        reply, identity, {"pypi", IndexKind::pypi, IdentityProvider::github});
    CHECK(has(error.message, long_text + " ***"));
    CHECK_FALSE(has(render(error), identity.reveal().substr(0, 8)));
  }
  const Error endless = github_error(refused("invalid-token", std::string(90'000, 'y')));
  CHECK(has(endless.message, std::string(500, 'y') + "..."));
  CHECK_FALSE(has(endless.message, std::string(501, 'y')));
}
