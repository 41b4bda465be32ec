#include "host/index/publish_target.h"

#include "unit/catch.h"
#include "unit/host/credential_bench.h"

using namespace pinwheel;

namespace {

matrix::PublishTarget target_of(matrix::TargetKind kind) {
  matrix::PublishTarget target;
  target.name = "target";
  target.kind = kind;
  target.url = "https://a.example/legacy/";
  return target;
}

host::Workplace workplace(std::vector<std::string>& masked) {
  host::Workplace workplace;
  workplace.variables = {{"PINWHEEL_TOKEN_TARGET", "pass-word"}};
  workplace.mask = [&masked](const Secret& secret) { masked.push_back(secret.reveal()); };
  return workplace;
}

}  // namespace

TEST_CASE("an index lists its files at `check-url`, or where its upload URL leads to expect") {
  const CredentialBench bench;
  std::vector<std::string> masked;
  matrix::PublishTarget target = target_of(matrix::TargetKind::index);
  CHECK(host::upload_target(target, workplace(masked), bench.ports)->endpoint.simple_url ==
        "https://a.example/simple/");
  target.check_url = "https://a.example/team/prod/+simple";
  CHECK(host::upload_target(target, workplace(masked), bench.ports)->endpoint.simple_url ==
        "https://a.example/team/prod/+simple/");
  target.check_url = "https://user:secret@a.example/simple/";
  const auto refused = host::upload_target(target, workplace(masked), bench.ports);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == ErrorKind::usage);
}

TEST_CASE("every kind of target that is an index has an upload endpoint") {
  const CredentialBench bench;
  for (const matrix::TargetKind kind : matrix::kTargetKinds) {
    std::vector<std::string> masked;
    const auto found = host::upload_target(target_of(kind), workplace(masked), bench.ports);
    if (!matrix::has_upload_api(kind)) {
      CHECK(found.error().kind == ErrorKind::internal);
      continue;
    }
    REQUIRE(found);
    const bool own = found->endpoint.kind == publish::IndexKind::other;
    CHECK(own == (kind == matrix::TargetKind::index));
    CHECK(masked == std::vector<std::string>{"pass-word"});
  }
}

TEST_CASE("a target that needs no token has no credentials") {
  const CredentialBench bench;
  std::vector<std::string> masked;
  matrix::PublishTarget target = target_of(matrix::TargetKind::index);
  target.auth = matrix::UploadAuth::none;
  const auto found = host::upload_target(target, workplace(masked), bench.ports);
  REQUIRE(found);
  CHECK_FALSE(found->credentials);
  CHECK(masked.empty());
}

TEST_CASE("a target that trusts jobs takes no token of the user") {
  CredentialBench bench;
  std::vector<std::string> masked;
  matrix::PublishTarget target = target_of(matrix::TargetKind::pypi);
  target.auth = matrix::UploadAuth::trusted;
  const auto found = host::upload_target(target, workplace(masked), bench.ports);
  REQUIRE_FALSE(found);
  CHECK(found.error().kind == ErrorKind::usage);
  CHECK(masked.empty());
}

TEST_CASE("files are attested on request, and on PyPI with a token that is issued for the job") {
  using matrix::Attesting;
  const std::map<std::string, std::string> github = {{"GITHUB_ACTIONS", "true"}};
  const std::map<std::string, std::string> gitlab = {{"GITLAB_CI", "true"}};
  const host::CredentialExchange exchange = [] {
    return Result<host::ExchangedCredentials>(host::ExchangedCredentials{});
  };
  host::UploadTarget target{"pypi", publish::pypi(), exchange};
  CHECK(host::is_attested(Attesting::automatic, target, github));
  CHECK_FALSE(host::is_attested(Attesting::never, target, github));
  CHECK_FALSE(host::is_attested(Attesting::automatic, target, {}));
  CHECK_FALSE(host::is_attested(Attesting::automatic, target, gitlab));
  std::map<std::string, std::string> with_token = gitlab;
  with_token["SIGSTORE_ID_TOKEN"] = "x.y.z";
  CHECK(host::is_attested(Attesting::automatic, target, with_token));
  CHECK_FALSE(host::is_attested(Attesting::automatic, target, {{"CIRCLECI", "true"}}));
  target.credentials = ports::BasicCredentials{"__token__", Secret("pass-word")};
  CHECK_FALSE(host::is_attested(Attesting::automatic, target, github));
  target = {"index", *publish::endpoint("https://a.example/legacy/"), exchange};
  CHECK_FALSE(host::is_attested(Attesting::automatic, target, github));
  CHECK(host::is_attested(Attesting::always, target, {}));
}

TEST_CASE("only a job with an identity signs, and for PyPI only one that it trusts") {
  host::UploadTarget target{"index", *publish::endpoint("https://a.example/legacy/")};
  const auto refusal = [&target](const std::map<std::string, std::string>& variables) {
    const auto provider = host::signing_provider(variables, target);
    REQUIRE_FALSE(provider);
    CHECK(provider.error().kind == ErrorKind::usage);
    return provider.error().message + "; " + provider.error().hint;
  };
  CHECK(refusal({}).find("this is not a CI job") != std::string::npos);
  std::map<std::string, std::string> github = {{"GITHUB_ACTIONS", "true"}};
  CHECK(refusal(github).find("id-token: write") != std::string::npos);
  const std::map<std::string, std::string> gitlab = {{"GITLAB_CI", "true"},
                                                     {"PYPI_ID_TOKEN", "x.y.z"}};
  CHECK(refusal(gitlab).find("SIGSTORE_ID_TOKEN: {aud: sigstore}") != std::string::npos);
  github["ACTIONS_ID_TOKEN_REQUEST_URL"] = "https://a.example";
  github["ACTIONS_ID_TOKEN_REQUEST_TOKEN"] = "token";
  CHECK(host::signing_provider(github, target) == publish::IdentityProvider::github);
  target = {"pypi", publish::pypi(), ports::BasicCredentials{"__token__", Secret("pass-word")}};
  CHECK(refusal(github).find("only with a token that it issues") != std::string::npos);
}
