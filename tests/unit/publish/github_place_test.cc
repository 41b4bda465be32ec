#include "publish/github_place.h"

#include "unit/catch.h"

namespace pinwheel::publish {
namespace {

using Variables = std::map<std::string, std::string>;

TEST_CASE("the repository is that of the job, else that of a remote on GitHub") {
  CHECK(github_repository({{"GITHUB_REPOSITORY", "acme/ops"}}, "https://github.com/me/fork") ==
        "acme/ops");
  for (const char* remote :
       {"https://github.com/acme/ops", "https://github.com/acme/ops.git/",
        "https://user:pass@GitHub.com/acme/ops.git", "git@github.com:acme/ops.git",
        "ssh://git@github.com:22/acme/ops.git", "github.com:acme/ops"}) {
    INFO(remote);
    CHECK(github_repository({}, remote) == "acme/ops");
  }
  for (const char* remote :
       {"", "https://gitlab.com/acme/ops", "/srv/acme/ops", "../acme/ops",
        "https://github.com/acme", "https://github.com/acme/ops/more", "git@github.com.evil:a/b"}) {
    INFO(remote);
    CHECK(github_repository({}, remote).empty());
  }
  const Variables server = {{"GITHUB_SERVER_URL", "https://git.acme.example"}};
  CHECK(github_repository(server, "git@git.acme.example:acme/ops.git") == "acme/ops");
}

TEST_CASE("the API is that of the matrix, else that of the job, else GitHub's") {
  const Variables job = {{"GITHUB_API_URL", "https://git.acme.example/api/v3"}};
  CHECK(github_place("github", "https://other.example/api/", "acme/ops", job)->api ==
        "https://other.example/api");
  CHECK(github_place("github", "", "acme/ops", job)->api == "https://git.acme.example/api/v3");
  const GithubPlace place = *github_place("github", "", "acme/ops", {});
  CHECK(place == GithubPlace{"github", "https://api.github.com", "acme/ops"});
  CHECK(github_url(place, "") == "https://api.github.com/repos/acme/ops");
  CHECK(github_url(place, "releases/7") == "https://api.github.com/repos/acme/ops/releases/7");
  CHECK(github_place("github", "", "", {}).error().kind == ErrorKind::config);
  for (const char* api : {"api.github.com", "ftp://a.example", "https://me:pw@a.example",
                          "https://a.example/?x", "https://"}) {
    INFO(api);
    CHECK(github_place("github", api, "acme/ops", {}).error().kind == ErrorKind::usage);
  }
}

TEST_CASE("the token goes to an upload URL on the server of the API or its uploads host") {
  const auto upload = [](const char* api, const char* url) {
    return github_upload_url({"github", api, "acme/ops"}, url);
  };
  CHECK(upload("https://api.github.com",
               "https://uploads.github.com/repos/a/b/releases/1/assets{?name,label}") ==
        "https://uploads.github.com/repos/a/b/releases/1/assets");
  CHECK(upload("https://git.acme.example/api/v3",
               "https://git.acme.example/api/uploads/repos/a/b/releases/1/assets{?name}"));
  CHECK(upload("http://127.0.0.1:8000", "http://127.0.0.1:8000/upload"));
  for (const char* url :
       {"https://uploads.github.com.evil.example/x", "http://uploads.github.com/x",
        "https://evil.example/uploads.github.com", "https://me@uploads.github.com/x", "", "/x",
        "https://uploads.github.com:444/x"}) {
    INFO(url);
    const Result<std::string> refused = upload("https://api.github.com", url);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().kind == ErrorKind::publish);
  }
  CHECK_FALSE(upload("http://127.0.0.1:8000", "http://127.0.0.1:9000/upload"));
}

}  // namespace
}  // namespace pinwheel::publish
