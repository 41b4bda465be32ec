#include "host/net/trusted_token.h"

#include <fmt/format.h>

#include "unit/catch.h"
#include "unit/host/credential_bench.h"

using namespace pinwheel;
using publish::IdentityProvider;

namespace {

const std::string kExchange = "https://a.example/_/oidc/";

/// A job on GitHub and an index that trusts it.
struct TrustedBench : CredentialBench {
  TrustedBench() {
    http.replies[kExchange + "audience"] = {200, "", {}, R"({"audience":"mine"})"};
    http.replies["https://github.example/t?audience=mine"] = {
        200, "", {}, R"({"value":"identity-token"})"};
    const int64_t expires =
        std::chrono::duration_cast<std::chrono::seconds>(clock.now().time_since_epoch()).count() +
        900;
    http.replies[kExchange + "mint-token"] = {
        200, "", {}, fmt::format(R"({{"token":"upload-token","expires":{}}})", expires)};
    last_http.replies[kExchange + "burn-token"] = {202};
    request.audience = "mine";
    request.variables = {{"GITHUB_ACTIONS", "true"},
                         {"ACTIONS_ID_TOKEN_REQUEST_URL", "https://github.example/t"},
                         {"ACTIONS_ID_TOKEN_REQUEST_TOKEN", "request"}};
  }

  host::CredentialRequest request{"my-index", *publish::endpoint("https://a.example/legacy/")};

  void set_audience(const std::string& audience) {
    http.replies[kExchange + "audience"] = {
        200, "", {}, fmt::format(R"({{"audience":"{}"}})", audience)};
  }
};

}  // namespace

TEST_CASE("an upload token is exchanged for an identity token, renewed and revoked") {
  TrustedBench bench;
  const auto exchanged =
      host::exchange_trusted_token(bench.request, IdentityProvider::github, bench.ports);
  REQUIRE(exchanged);
  CHECK(exchanged->credentials.user == "__token__");
  CHECK(exchanged->credentials.password.reveal() == "upload-token");
  CHECK(exchanged->fresh_for == std::chrono::minutes(10));
  CHECK(bench.masked == std::vector<std::string>{"identity-token"});
  CHECK(bench.http.urls() == std::vector<std::string>{kExchange + "audience",
                                                      "https://github.example/t?audience=mine",
                                                      kExchange + "mint-token"});
  CHECK(bench.http.asked.back().body == R"({"token":"identity-token"})");
  CHECK(bench.last_http.asked.empty());
  CHECK(exchanged->revoke());
  REQUIRE(bench.last_http.asked.size() == 1);
  CHECK(bench.last_http.asked.front().body == R"({"token":"upload-token"})");
  bench.last_http.replies.clear();
  CHECK(exchanged->revoke().error().message == "the index answers HTTP 404");
}

TEST_CASE("no identity token is asked for with the audience of another") {
  TrustedBench bench;
  bench.set_audience("sts.amazonaws.com");
  const auto exchanged =
      host::exchange_trusted_token(bench.request, IdentityProvider::github, bench.ports);
  REQUIRE_FALSE(exchanged);
  CHECK(exchanged.error().kind == ErrorKind::publish);
  CHECK(exchanged.error().message ==
        "`my-index` asks for an identity token for the audience `sts.amazonaws.com`, and `mine` is "
        "its own");
  CHECK(bench.http.urls() == std::vector<std::string>{kExchange + "audience"});
}

TEST_CASE("a token of GitLab is used to its end, and no identity token is sent twice") {
  TrustedBench bench;
  bench.request.variables = {{"GITLAB_CI", "true"}, {"MINE_ID_TOKEN", "identity-token"}};
  const auto exchanged =
      host::exchange_trusted_token(bench.request, IdentityProvider::gitlab, bench.ports);
  REQUIRE(exchanged);
  CHECK_FALSE(exchanged->fresh_for);
  bench.http.replies[kExchange + "mint-token"] = {503};
  CHECK(host::exchange_trusted_token(bench.request, IdentityProvider::gitlab, bench.ports)
            .error()
            .kind == ErrorKind::publish);
}

TEST_CASE("a busy exchange may be tried again with a new identity token") {
  TrustedBench bench;
  bench.http.replies[kExchange + "mint-token"] = {503};
  CHECK(host::exchange_trusted_token(bench.request, IdentityProvider::github, bench.ports)
            .error()
            .kind == ErrorKind::transient);
}

TEST_CASE("a reply beyond its limit is no answer of the exchange") {
  for (const std::string& url : {kExchange + "audience", kExchange + "mint-token",
                                 std::string("https://github.example/t?audience=mine")}) {
    TrustedBench bench;
    bench.http.failures[url] = {{ErrorKind::check, "it is too long"}, ports::Sent::perhaps};
    const auto exchanged =
        host::exchange_trusted_token(bench.request, IdentityProvider::github, bench.ports);
    REQUIRE_FALSE(exchanged);
    CHECK(exchanged.error().kind == ErrorKind::publish);
    CHECK(exchanged.error().message == "it is too long");
  }
}

TEST_CASE("an exchanged token that is too short to be hidden is revoked, and not used") {
  TrustedBench bench;
  bench.http.replies[kExchange + "mint-token"] = {200, "", {}, R"({"token":"short"})"};
  const auto late = host::find_credentials(
      bench.request, host::credential_sources(bench.request, bench.ports), bench.ports.mask);
  REQUIRE(late);
  const auto exchanged = std::get<host::CredentialExchange>(*late)();
  REQUIRE_FALSE(exchanged);
  CHECK(exchanged.error().message == "the token for `my-index` has fewer than 8 characters");
  REQUIRE(bench.last_http.asked.size() == 1);
  CHECK(bench.last_http.asked.front().body == R"({"token":"short"})");
}

TEST_CASE("an index without the exchange is not sent an identity token") {
  TrustedBench bench;
  bench.http.replies.erase(kExchange + "audience");
  const auto exchanged =
      host::exchange_trusted_token(bench.request, IdentityProvider::github, bench.ports);
  REQUIRE_FALSE(exchanged);
  CHECK(exchanged.error().kind == ErrorKind::publish);
  CHECK(bench.http.asked.size() == 1);
  CHECK(bench.masked.empty());
  bench.request.endpoint = *publish::endpoint("http://b.example/legacy/");
  const auto plain =
      host::exchange_trusted_token(bench.request, IdentityProvider::github, bench.ports);
  REQUIRE_FALSE(plain);
  CHECK(plain.error().kind == ErrorKind::usage);
  CHECK(bench.http.asked.size() == 1);
}

TEST_CASE("a token is exchanged where the job has an identity and no other token is given") {
  TrustedBench bench;
  const auto late = host::find_credentials(
      bench.request, host::credential_sources(bench.request, bench.ports), bench.ports.mask);
  REQUIRE(late);
  CHECK(bench.http.asked.empty());
  REQUIRE(std::holds_alternative<host::CredentialExchange>(*late));
  CHECK(std::get<host::CredentialExchange>(*late)()->credentials.password.reveal() ==
        "upload-token");
  CHECK(bench.masked == std::vector<std::string>{"identity-token", "upload-token"});
  bench.request.variables["PINWHEEL_TOKEN_MY_INDEX"] = "users-token";
  const auto given = host::find_credentials(
      bench.request, host::credential_sources(bench.request, bench.ports), {});
  REQUIRE(given);
  CHECK(std::holds_alternative<ports::BasicCredentials>(*given));
}

TEST_CASE("`auth` permits only an exchanged token, or only a token of the user") {
  TrustedBench bench;
  bench.request.variables["PINWHEEL_TOKEN_MY_INDEX"] = "users-token";
  const auto find = [&bench] {
    return host::find_credentials(bench.request,
                                  host::credential_sources(bench.request, bench.ports), {});
  };
  bench.request.auth = matrix::UploadAuth::trusted;
  const auto trusted = find();
  REQUIRE(trusted);
  CHECK(std::holds_alternative<host::CredentialExchange>(*trusted));
  bench.request.variables.erase("ACTIONS_ID_TOKEN_REQUEST_URL");
  CHECK(find().error().message.starts_with("this job has no identity token of GitHub Actions"));
  bench.request.variables.erase("GITHUB_ACTIONS");
  CHECK(find().error().message == "trusted publishing needs a known CI job, and this is none");
  bench.request.auth = matrix::UploadAuth::token;
  const auto token = find();
  REQUIRE(token);
  CHECK(std::holds_alternative<ports::BasicCredentials>(*token));
  bench.request.variables.erase("PINWHEEL_TOKEN_MY_INDEX");
  CHECK(find().error().hint.find("id-token") == std::string::npos);
}
