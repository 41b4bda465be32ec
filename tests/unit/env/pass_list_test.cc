#include "env/pass_list.h"

#include <algorithm>

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
  const Variables passed = helper_variables(user);
  CHECK(passed.size() == seen.size());
  for (const std::string& name : seen) CHECK(passed.contains(name));
}

TEST_CASE("each program sees what configures it, and not what configures another") {
  const Variables all = {{"PATH", "p"},          {"https_proxy", "h"},    {"GIT_SSH_COMMAND", "g"},
                         {"SSH_AUTH_SOCK", "s"}, {"PIP_INDEX_URL", "i"},  {"NETRC", "n"},
                         {"DOCKER_HOST", "d"},   {"CONTAINER_HOST", "c"}, {"CONDA_EXE", "e"},
                         {"MAMBA_EXE", "m"},     {"CUDA_HOME", "u"},      {"LD_LIBRARY_PATH", "l"},
                         {"OF_THE_IMAGE", "o"}};
  const auto seen_by = [&all](Helper helper) {
    std::string letters;
    for (const auto& [name, value] : variables_for(helper, all)) letters += value;
    std::sort(letters.begin(), letters.end());
    return letters;
  };
  CHECK(seen_by(Helper::system) == "hop");
  CHECK(seen_by(Helper::git) == "ghops");
  CHECK(seen_by(Helper::python) == "hinop");
  CHECK(seen_by(Helper::conda) == "ehmnop");
  CHECK(seen_by(Helper::container) == "cdhop");
  CHECK(seen_by(Helper::compiler) == "hlopu");
}

TEST_CASE("a helper is known by the name of its program") {
  for (const char* const name :
       {"nvcc", "/opt/cuda/bin/nvcc", "g++-12", "x86_64-linux-gnu-gcc", "clang++-19", "c++"}) {
    CAPTURE(name);
    CHECK(helper_of(name) == Helper::compiler);
  }
  CHECK(helper_of("/usr/bin/python3.11") == Helper::python);
  CHECK(helper_of("micromamba") == Helper::conda);
  CHECK(helper_of("/usr/bin/podman") == Helper::container);
  CHECK(helper_of("git") == Helper::git);
  CHECK(helper_of("uname") == Helper::system);
  CHECK(helper_of("gitlint") == Helper::system);
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
