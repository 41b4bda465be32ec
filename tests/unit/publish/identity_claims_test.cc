#include "publish/identity_claims.h"

#include "unit/catch.h"
#include "unit/publish/identity_tokens.h"

using namespace pinwheel;

TEST_CASE("the claims of an identity token are read without its signature") {
  nlohmann::json claims = github_claims();
  claims["exp"] = 1'800'000'000;
  claims["email_verified"] = true;
  claims["amr"] = nlohmann::json::array({"x", 7, nlohmann::json::array({"z"}), "y"});
  claims["other"] = {{"x", "y"}};
  claims["ref"] = "refs/heads/naïve ~ÿ";
  const publish::IdentityClaims found = publish::identity_claims(identity_token_with(claims));
  CHECK(found.at("repository") == "acme/kernels");
  CHECK(found.at("exp") == "1800000000");
  CHECK(found.at("email_verified") == "true");
  CHECK(found.at("ref") == "refs/heads/naïve ~ÿ");
  CHECK(found.at("amr") == "x, 7, y");
  CHECK_FALSE(found.contains("other"));
}

TEST_CASE("what is no identity token has no claims") {
  for (const char* text : {"", "a", "a.b", "a.b.c", "a.!!!.c", "a.e30.c", "a.W10.c", "a.b.c.d"}) {
    CAPTURE(text);
    CHECK(publish::identity_claims(Secret(text)).empty());
  }
}

TEST_CASE("only claims that an index matches are shown, and no other") {
  const auto claims = publish::identity_claims(identity_token_with(github_claims()));
  const std::string shown = publish::shown_claims(claims);
  CHECK(shown.find("repository `acme/kernels`") != std::string::npos);
  CHECK(shown.find("environment `pypi`") != std::string::npos);
  CHECK(shown.find("b6f8-secret") == std::string::npos);
  const auto hostile =
      publish::identity_claims(identity_token_with({{"ref", "a\n::add-mask::b\x1b[2J"}}));
  CHECK(publish::shown_claims(hostile).find('\n') == std::string::npos);
  CHECK(publish::shown_claims(hostile).find('\x1b') == std::string::npos);
  CHECK(publish::shown_claims({}).empty());
}

TEST_CASE("a job of a reusable workflow has the reference of another workflow") {
  nlohmann::json claims = github_claims();
  CHECK_FALSE(publish::in_reusable_workflow(publish::identity_claims(identity_token_with(claims))));
  claims["workflow_ref"] = "acme/kernels/.github/workflows/release.yml@refs/heads/main";
  CHECK_FALSE(publish::in_reusable_workflow(publish::identity_claims(identity_token_with(claims))));
  claims["job_workflow_ref"] = "acme/shared/.github/workflows/publish.yml@refs/heads/main";
  CHECK(publish::in_reusable_workflow(publish::identity_claims(identity_token_with(claims))));
  CHECK(publish::workflow_path("acme/shared/.github/workflows/publish.yml@refs/heads/main") ==
        ".github/workflows/publish.yml");
}
