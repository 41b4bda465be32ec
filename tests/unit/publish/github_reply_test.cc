#include "publish/github_reply.h"

#include "unit/catch.h"

namespace pinwheel::publish {
namespace {

const std::string kSha256(64, 'a');
const std::string kTaggedCommit(40, 'c');
const GithubPlace kPlace{"github", "https://api.github.com", "acme/ops"};

ports::HttpResponse reply(int status, std::string body = {},
                          std::vector<std::pair<std::string, std::string>> headers = {}) {
  headers.emplace_back("content-type", "application/json; charset=utf-8");
  return {status, {}, std::move(headers), std::move(body)};
}

TEST_CASE("a release and its assets are read, and unknown members are ignored") {
  const Result<GithubRelease> release = read_github_release(
      R"({"id": 7, "tag_name": "v1.0", "draft": true, "upload_url": "https://u{?name}",
          "html_url": "https://page", "published_at": null, "other": {}})");
  REQUIRE(release);
  CHECK(*release ==
        GithubRelease{7, "v1.0", true, false, "https://u{?name}", "https://page", "", ""});
  const auto releases = read_github_releases(
      R"([{"id": 8, "tag_name": "v2", "draft": false, "immutable": true, "upload_url": "u",
           "published_at": "2026-11-02T01:02:03Z"}])");
  REQUIRE(releases);
  CHECK(releases->front().immutable);
  CHECK(releases->front().opened == "2026-11-02T01:02:03Z");

  const auto assets = read_github_assets(
      R"([{"id": 1, "name": "a.whl", "size": 3, "state": "uploaded", "digest": "sha256:)" +
      kSha256 + R"("}, {"id": 2, "name": "b.whl", "size": 0, "state": "starter", "digest": null},
         {"id": 3, "name": "c.whl", "size": 1, "state": "uploaded", "digest": "md5:00"}])");
  REQUIRE(assets);
  CHECK(*assets == std::vector<GithubAsset>{{1, "a.whl", 3, kSha256, true},
                                            {2, "b.whl", 0, "", false},
                                            {3, "c.whl", 1, "", true}});
}

TEST_CASE("only a URL that a page can link to is read from an asset") {
  const auto url_of = [](const std::string& stated) {
    const auto asset = read_github_asset(
        R"({"id": 1, "name": "a.whl", "size": 3, "browser_download_url": ")" + stated + R"("})");
    REQUIRE(asset);
    return asset->url;
  };
  const std::string usual = "https://github.com/acme/ops/releases/download/v1/a%2Bcpu.whl";
  CHECK(url_of(usual) == usual);
  for (const char* const odd : {"", "a.whl", "ftp://host/a.whl", "https://user:pw@host/a.whl",
                                "https://host/a.whl#sha256=0", "https://host/a.whl?token=0",
                                "https://host/'><script>", "https://host/a b", "javascript:x"}) {
    CAPTURE(odd);
    CHECK(url_of(odd).empty());
  }
}

TEST_CASE("a reference points to a commit or to a tag object") {
  const auto object = [](const std::string& type, const std::string& sha) {
    return read_github_object(R"({"object": {"type": ")" + type + R"(", "sha": ")" + sha + "\"}}");
  };
  CHECK(*object("commit", kTaggedCommit) == GithubObject{kTaggedCommit, false});
  CHECK(*object("tag", kTaggedCommit) == GithubObject{kTaggedCommit, true});
  CHECK_FALSE(object("commit", "c0ffee"));
  CHECK_FALSE(object("commit", std::string(40, 'x')));
}

TEST_CASE("whether a token may write is read if the reply says so") {
  CHECK(read_github_permission(R"({"id": 1, "permissions": {"push": false}})").value() == false);
  CHECK(read_github_permission(R"({"id": 1, "permissions": {"push": true}})").value() == true);
  CHECK_FALSE(read_github_permission(R"({"id": 1})").value());
  CHECK_FALSE(read_github_permission(R"({"login": "page"})"));
}

TEST_CASE("anything else is an error of kind publish") {
  for (const char* body : {"", "[]", "{}", "null", "[1]", "<html>", R"({"id": "7"})",
                           R"({"id": -1, "draft": true, "upload_url": "u"})", R"({"object": "c"})",
                           R"({"object": {"sha": 7}})"}) {
    INFO(body);
    CHECK(read_github_release(body).error().kind == ErrorKind::publish);
    CHECK(read_github_asset(body).error().kind == ErrorKind::publish);
    CHECK(read_github_object(body).error().kind == ErrorKind::publish);
    CHECK(read_github_permission(body).error().kind == ErrorKind::publish);
    if (std::string(body) == "[]") continue;
    CHECK(read_github_releases(body).error().kind == ErrorKind::publish);
    CHECK(read_github_assets(body).error().kind == ErrorKind::publish);
  }
}

TEST_CASE("a rate limit passes, a lack of permission does not") {
  CHECK(github_outcome(reply(201)) == Outcome::uploaded);
  CHECK(github_outcome(reply(204)) == Outcome::uploaded);
  CHECK(github_outcome(reply(401)) == Outcome::auth);
  CHECK(github_outcome(reply(403)) == Outcome::auth);
  CHECK(github_outcome(reply(403, "", {{"x-ratelimit-remaining", "0"}})) == Outcome::transient);
  CHECK(github_outcome(reply(403, "", {{"x-ratelimit-remaining", "9"}})) == Outcome::auth);
  CHECK(github_outcome(reply(403, "", {{"retry-after", "60"}})) == Outcome::transient);
  CHECK(github_outcome(reply(429)) == Outcome::transient);
  CHECK(github_outcome(reply(422)) == Outcome::refused);
  CHECK(github_outcome(reply(409)) == Outcome::refused);
  CHECK(github_outcome(reply(404)) == Outcome::policy);
  CHECK(github_outcome(reply(301)) == Outcome::policy);
  CHECK(github_outcome(reply(502)) == Outcome::unknown);
}

TEST_CASE("the wait is that of the reply, or up to the end of the rate limit") {
  using namespace std::chrono_literals;
  const std::chrono::system_clock::time_point now{1000s};
  CHECK(github_wait(reply(429, "", {{"retry-after", "7"}}), now) == 7s);
  CHECK(github_wait(reply(403, "", {{"x-ratelimit-remaining", "0"}, {"x-ratelimit-reset", "1030"}}),
                    now) == 30s);
  for (const char* reset : {"999", "", "soon", "-1", "9223372037", "99999999999999999999"}) {
    CHECK_FALSE(github_wait(
        reply(403, "", {{"x-ratelimit-remaining", "0"}, {"x-ratelimit-reset", reset}}), now));
  }
  CHECK_FALSE(github_wait(reply(502), now));
}

TEST_CASE("an error has the message and the details of the reply, without the token") {
  HiddenText hidden;
  hidden.add(Secret("canary-0123456789"));
  const Error error = github_error(reply(422, R"({"message": "Validation Failed canary-0123456789",
                     "errors": [{"field": "tag_name", "code": "already_exists"},
                                {"message": "too big"}, 7]})"),
                                   kPlace, "the draft was not created", hidden);
  CHECK(error.kind == ErrorKind::publish);
  CHECK(error.message ==
        "`acme/ops` on `github`: the draft was not created: HTTP 422 (Validation Failed ***: "
        "tag_name already_exists, too big)");
  CHECK(github_error(reply(401), kPlace, "x", hidden).hint.find("PINWHEEL_TOKEN_GITHUB") !=
        std::string::npos);
  CHECK(github_error(reply(404), kPlace, "x", hidden).hint.find("contents: write") !=
        std::string::npos);
  CHECK(github_error(reply(301), kPlace, "x", hidden).hint.find("new name") != std::string::npos);
  CHECK(github_error(reply(403, "", {{"retry-after", "5"}}), kPlace, "x", hidden)
            .hint.find("limits the requests") != std::string::npos);
}

}  // namespace
}  // namespace pinwheel::publish
