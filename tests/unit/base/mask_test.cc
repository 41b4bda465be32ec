#include "base/mask.h"

#include "unit/catch.h"

using namespace pinwheel;

TEST_CASE("names of secrets are recognized by their words") {
  for (const char* const name :
       {"GH_TOKEN", "PINWHEEL_TOKEN_PYPI", "TWINE_PASSWORD", "AWS_SECRET_ACCESS_KEY", "--api-key",
        "ACTIONS_ID_TOKEN_REQUEST_TOKEN", "NETRC_PASSWD", "--auth", "pypitoken", "X-Amz-Signature",
        "GITHUB_PAT", "UPLOAD_CREDENTIALS"}) {
    CAPTURE(name);
    CHECK(names_secret(name));
  }
  for (const char* const name : {"PATH", "HOME", "AUTHOR", "KEYBOARD", "PYTHONPATH", "--keep-going",
                                 "CUDA_HOME", "MONKEY", "COMPAT", "TERM", ""}) {
    CAPTURE(name);
    CHECK_FALSE(names_secret(name));
  }
}

TEST_CASE("a URL keeps its place and loses its credentials and its query") {
  CHECK(mask_urls("https://user:pa%40ss@host:8080/simple/demo/") ==
        "https://***@host:8080/simple/demo/");
  CHECK(mask_urls("https://host/f.whl?X-Amz-Signature=abc&n=1") == "https://host/f.whl?***");
  CHECK(mask_urls("git+ssh://git@host/a.git and http://t0k3n@b/c?d, 'https://x:y@z?q'") ==
        "git+ssh://***@host/a.git and http://***@b/c?*** 'https://***@z?***'");
  CHECK(mask_urls("mail to a@b, 10 ://") == "mail to a@b, 10 ://");
  CHECK(mask_urls("https://user:p/a?b@host/c?d") == "https://***@host/c?***");
  CHECK(mask_urls("https://[::1]:80/a@b https://h:80/a@b") ==
        "https://[::1]:80/a@b https://h:80/a@b");
}

TEST_CASE("a URL in a message has no credentials and no query") {
  CHECK(quoted_url("https://u:p@host/a.whl?X-Amz-Signature=1") == "`https://***@host/a.whl?***`");
  CHECK(quoted_url("https://host/a") == "`https://host/a`");
}

TEST_CASE("arguments that carry a secret are masked, the others unchanged") {
  CHECK(mask_arguments({"curl", "-H", "Authorization: Bearer abc", "https://u:p@h/x?s=1"}) ==
        std::vector<std::string>{"curl", "-H", "Authorization: ***", "https://***@h/x?***"});
  CHECK(mask_arguments({"docker", "run", "--env", "API_KEY=abc", "--env", "LANG=C"}) ==
        std::vector<std::string>{"docker", "run", "--env", "API_KEY=***", "--env", "LANG=C"});
  CHECK(mask_arguments({"twine", "--password", "abc", "--token=def", "--verbose"}) ==
        std::vector<std::string>{"twine", "--password", "***", "--token=***", "--verbose"});
  CHECK(mask_arguments({"python", "-c", "token = 1; print(token)"}) ==
        std::vector<std::string>{"python", "-c", "token = 1; print(token)"});
}
