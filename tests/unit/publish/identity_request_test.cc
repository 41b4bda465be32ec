#include "publish/identity_request.h"

#include "unit/catch.h"

using namespace pinwheel;

namespace {

std::map<std::string, std::string> github(const std::string& url) {
  return {{"ACTIONS_ID_TOKEN_REQUEST_URL", url}, {"ACTIONS_ID_TOKEN_REQUEST_TOKEN", "request"}};
}

}  // namespace

TEST_CASE("GitHub is asked with the audience added to the query of its address") {
  const auto request =
      publish::github_identity_request(github("https://a.example/t?api-version=2.0"), "py pi");
  REQUIRE(request);
  CHECK(request->url == "https://a.example/t?api-version=2.0&audience=py%20pi");
  CHECK(request->headers[1] ==
        std::pair<std::string, std::string>{"Authorization", "bearer request"});
  CHECK(publish::github_identity_request(github("https://a.example/t"), "pypi")->url ==
        "https://a.example/t?audience=pypi");
  CHECK(publish::github_identity_request(github("http://127.0.0.1:9/t"), "pypi"));
}

TEST_CASE("GitHub's token is not requested by plain http, nor from no address") {
  for (const char* url : {"http://a.example/t", "", "a.example"}) {
    const auto request = publish::github_identity_request(github(url), "pypi");
    REQUIRE_FALSE(request);
    CHECK(request.error().kind == ErrorKind::usage);
  }
}

TEST_CASE("Google's metadata server is asked, or another account in its name") {
  const auto request = publish::google_identity_request({}, "pypi");
  CHECK(request.url ==
        "http://metadata.google.internal/computeMetadata/v1/instance/service-accounts/default/"
        "identity?audience=pypi&format=full");
  CHECK(publish::google_access_request({{"GCE_METADATA_HOST", "127.0.0.1:9"}})
            .url.starts_with("http://127.0.0.1:9/computeMetadata/v1/instance/"));
  const auto other = publish::google_impersonation_request("a@b.example", Secret("access"), "pypi");
  CHECK(other.method == "POST");
  CHECK(other.url ==
        "https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/"
        "a%40b.example:generateIdToken");
  CHECK(other.body == R"({"audience":"pypi","includeEmail":true})");
}

TEST_CASE("Buildkite's and CircleCI's programs get the audience") {
  CHECK(publish::buildkite_identity_command("pypi").back() == "pypi");
  CHECK(publish::circleci_identity_command("py\"pi").back() == R"({"aud":"py\"pi"})");
}

TEST_CASE("an identity token is a member of a reply, or all of it") {
  CHECK(publish::identity_reply({200, "", {}, R"({"count":1,"value":"a.b.c"})"}, "X", "value")
            ->reveal() == "a.b.c");
  CHECK(publish::identity_reply({200, "", {}, "a.b.c\n"}, "X", "")->reveal() == "a.b.c");
  for (const char* body : {"", "[]", "{}", R"({"value":""})", R"({"value":7})", "<html>"}) {
    CHECK(publish::identity_reply({200, "", {}, body}, "X", "value").error().kind ==
          ErrorKind::publish);
  }
  CHECK(publish::identity_reply({403}, "X", "value").error().kind == ErrorKind::publish);
  CHECK(publish::identity_reply({503}, "X", "value").error().kind == ErrorKind::transient);
  CHECK(publish::identity_reply({429}, "X", "value").error().kind == ErrorKind::transient);
}
