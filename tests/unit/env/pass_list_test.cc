#include "env/pass_list.h"

#include "env/commands.h"
#include "unit/catch.h"

using namespace pinwheel::env;

TEST_CASE("pip is told where to find packages, never where to put them") {
  CHECK(is_pip_setting("PIP_INDEX_URL"));
  CHECK(is_pip_setting("PIP_CONFIG_FILE"));
  CHECK_FALSE(is_pip_setting("PIP_TARGET"));
  CHECK_FALSE(is_pip_setting("PIP_USER"));
  CHECK_FALSE(is_pip_setting("PIPX_HOME"));
}

TEST_CASE("proxies and certificates pass, in upper and lower case") {
  for (const char* name : {"https_proxy", "HTTPS_PROXY", "ALL_PROXY", "SSL_CERT_FILE"}) {
    CHECK(is_network_variable(name));
  }
  CHECK_FALSE(is_network_variable("PROXY"));
}

TEST_CASE("programs that pinwheel asks see what configures them, and no secret of another tool") {
  Variables user;
  const std::vector<std::string> seen = {"PATH",
                                         "HOME",
                                         "TMPDIR",
                                         "LANG",
                                         "LC_ALL",
                                         "XDG_CACHE_HOME",
                                         "https_proxy",
                                         "SSL_CERT_FILE",
                                         "CUDA_HOME",
                                         "LD_LIBRARY_PATH",
                                         "PIP_INDEX_URL",
                                         "DOCKER_HOST",
                                         "CONTAINER_HOST",
                                         "NETRC",
                                         "CONDA_EXE",
                                         "MAMBA_EXE",
                                         "GIT_SSH_COMMAND",
                                         "SSH_AUTH_SOCK",
                                         "CXX",
                                         "CCACHE_DIR"};
  for (const std::string& name : seen) user[name] = "seen";
  for (const char* const name :
       {"PINWHEEL_TOKEN_PYPI", "PINWHEEL_USER_PYPI", "TWINE_PASSWORD", "GITHUB_TOKEN", "GH_TOKEN",
        "AWS_SECRET_ACCESS_KEY", "ACTIONS_RUNTIME_TOKEN", "MY_SECRET", "PYTHONPATH",
        "LD_PRELOAD"}) {
    user[name] = "not seen";
  }
  const Variables told = helper_variables(user);
  CHECK(told.size() == seen.size());
  for (const std::string& name : seen) CHECK(told.contains(name));
}

TEST_CASE("pip gets the network and its settings, and nothing that changes Python") {
  const Variables seen = pip_variables({{"PIP_INDEX_URL", "u"},
                                        {"PIP_TARGET", "/elsewhere"},
                                        {"ALL_PROXY", "p"},
                                        {"PYTHONPATH", "/elsewhere"}});
  CHECK(seen.at("PIP_INDEX_URL") == "u");
  CHECK(seen.at("ALL_PROXY") == "p");
  CHECK_FALSE(seen.contains("PIP_TARGET"));
  CHECK_FALSE(seen.contains("PYTHONPATH"));
}
