#include "publish/token_exchange.h"

#include <fmt/format.h>

#include "unit/catch.h"
#include "unit/publish/identity_tokens.h"

using namespace pinwheel;
using publish::ExchangeParties;

namespace {

constexpr std::chrono::system_clock::time_point kNow{std::chrono::seconds(1'800'000'000)};

ExchangeParties parties() {
  return {"pypi", publish::IndexKind::pypi, publish::IdentityProvider::github};
}

publish::UploadToken expiring(std::chrono::seconds in) {
  return {Secret("pypi-token"), kNow + in};
}

}  // namespace

TEST_CASE("the exchange lies on the host of the uploads, and is encrypted") {
  CHECK(*publish::exchange_url("https://upload.pypi.org/legacy/") ==
        "https://upload.pypi.org/_/oidc/");
  CHECK(*publish::exchange_url("https://a.example:8443/up?x") == "https://a.example:8443/_/oidc/");
  CHECK(*publish::exchange_url("http://127.0.0.1:9/") == "http://127.0.0.1:9/_/oidc/");
  const auto refused = publish::exchange_url("http://a.example/legacy/");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == ErrorKind::usage);
  CHECK(refused.error().message ==
        "trusted publishing would send tokens without encryption to `a.example`");
}

TEST_CASE("the requests of the exchange are those of PyPI") {
  const std::string base = "https://a.example/_/oidc/";
  CHECK(publish::audience_request(base).url == base + "audience");
  const auto exchange_with = publish::exchange_request(base, Secret("a.b.c"));
  CHECK(exchange_with.url == base + "mint-token");
  CHECK(exchange_with.method == "POST");
  CHECK(exchange_with.body == R"({"token":"a.b.c"})");
  CHECK(publish::revocation_request(base, Secret("pypi-x")).url == base + "burn-token");
  CHECK(publish::revocation_request(base, Secret("pypi-x")).body == R"({"token":"pypi-x"})");
}

TEST_CASE("an index gets identity tokens for its own audience alone") {
  const publish::Endpoint other = *publish::endpoint("https://a.example:8443/legacy/");
  for (const char* own : {"a.example:8443", "https://a.example:8443",
                          "https://a.example:8443/legacy/", "https://a.example:8443/legacy"}) {
    CHECK(publish::check_audience(own, other, "", parties()));
  }
  for (const char* stray : {"pypi", "testpypi", "sts.amazonaws.com", "a.example", "b.example:8443",
                            "https://a.example:8443.evil", "//iam.googleapis.com/x", ""}) {
    const Done done = publish::check_audience(stray, other, "", parties());
    REQUIRE_FALSE(done);
    CHECK(done.error().kind == ErrorKind::publish);
    CHECK(done.error().message == fmt::format("`pypi` asks for an identity token for the audience "
                                              "`{}`, and `a.example:8443` is its own",
                                              stray));
  }
  CHECK(publish::check_audience("mine", other, "mine", parties()));
  CHECK_FALSE(publish::check_audience("a.example:8443", other, "mine", parties()));
  CHECK(publish::check_audience("pypi", publish::pypi(), "", parties()));
  CHECK_FALSE(publish::check_audience("pypi", publish::testpypi(), "", parties()));
  CHECK_FALSE(publish::check_audience("sts.amazonaws.com", publish::pypi(), "", parties()));
}

TEST_CASE("an index without an audience does not speak the exchange") {
  CHECK(*publish::audience_reply({200, "", {}, R"({"audience":"testpypi"})"}, parties()) ==
        "testpypi");
  for (const ports::HttpResponse& reply :
       {ports::HttpResponse{404}, ports::HttpResponse{405}, ports::HttpResponse{302},
        ports::HttpResponse{200, "", {}, "<html>"}, ports::HttpResponse{200, "", {}, "[]"}}) {
    const auto audience = publish::audience_reply(reply, parties());
    REQUIRE_FALSE(audience);
    CHECK(audience.error().kind == ErrorKind::publish);
    CHECK(audience.error().message.starts_with("`pypi` does not speak trusted publishing"));
    CHECK(audience.error().hint.starts_with("publish with a token"));
  }
  CHECK(publish::audience_reply({403}, parties())
            .error()
            .message.starts_with("`pypi` has turned trusted publishing off"));
  CHECK(publish::audience_reply({503}, parties()).error().kind == ErrorKind::transient);
}

TEST_CASE("an exchanged token has its end") {
  const Secret identity = identity_token_with(github_claims());
  const auto exchanged = publish::exchange_reply(
      {200, "", {}, R"({"success":true,"token":"pypi-x","expires":1800000900})"}, identity,
      parties());
  REQUIRE(exchanged);
  CHECK(exchanged->token.reveal() == "pypi-x");
  CHECK(exchanged->expires == kNow + std::chrono::minutes(15));
  CHECK_FALSE(publish::exchange_reply({200, "", {}, R"({"token":"pypi-x"})"}, identity, parties())
                  ->expires);
  CHECK(publish::exchange_reply({502}, identity, parties()).error().kind == ErrorKind::transient);
  CHECK(publish::exchange_reply({200, "", {}, "{}"}, identity, parties()).error().kind ==
        ErrorKind::publish);
}

TEST_CASE("any success with a token in it mints it") {
  const Secret identity = identity_token_with(github_claims());
  for (const int status : {200, 201, 202}) {
    const auto exchanged =
        publish::exchange_reply({status, "", {}, R"({"token":"pypi-x"})"}, identity, parties());
    REQUIRE(exchanged);
    CHECK(exchanged->token.reveal() == "pypi-x");
  }
}

TEST_CASE("an answer that is none of the exchange is no matter of trust") {
  const Secret identity = identity_token_with(github_claims());
  const std::string echoed = "/login?t=" + identity.reveal();
  const std::vector<std::pair<ports::HttpResponse, std::string>> cases = {
      {{200, "OK", {{"content-type", "text/html"}}, "<html>"}, "HTTP 200 without a token"},
      {{201, "", {}, R"({"token":7})"}, "HTTP 201 without a token"},
      {{204}, "HTTP 204 without a token"},
      {{301, "", {{"location", "https://b.example/_/"}}, ""},
       "HTTP 301, moved to `https://b.example/_/`"},
      {{302, "", {{"location", echoed}}, ""}, "HTTP 302, moved to `/login?t=***`"},
      {{404, "Not Found", {}, ""}, "HTTP 404"},
      {{405}, "HTTP 405"}};
  for (const auto& [reply, ending] : cases) {
    const auto exchanged = publish::exchange_reply(reply, identity, parties());
    REQUIRE_FALSE(exchanged);
    CHECK(exchanged.error().kind == ErrorKind::publish);
    CHECK(exchanged.error().message ==
          "`pypi` does not speak trusted publishing: its page /_/oidc/mint-token answers " +
              ending);
    CHECK(exchanged.error().hint.starts_with("publish with a token"));
    CHECK(exchanged.error().causes.empty());
  }
  const auto refused = publish::exchange_reply(
      {404, "", {}, R"({"errors":[{"code":"not-enabled","description":"off"}]})"}, identity,
      parties());
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message == "`pypi` does not trust this job: HTTP 404, `off`");
}

TEST_CASE("a token is used for two thirds of its life, and never for more than 10 minutes") {
  using std::chrono::minutes;
  using std::chrono::seconds;
  CHECK(publish::fresh_for({Secret("pypi-token")}, kNow) == minutes(10));
  CHECK(publish::fresh_for(expiring(minutes(15)), kNow) == minutes(10));
  CHECK(publish::fresh_for(expiring(minutes(60)), kNow) == minutes(10));
  CHECK(publish::fresh_for(expiring(seconds(3)), kNow) == seconds(2));
  CHECK(publish::fresh_for(expiring(-minutes(5)), kNow) == seconds(1));
}

TEST_CASE("a token is revoked when the index says so") {
  CHECK(publish::revocation_reply({202}));
  CHECK(publish::revocation_reply({200}));
  CHECK(publish::revocation_reply({404}).error().message == "the index answers HTTP 404");
}
