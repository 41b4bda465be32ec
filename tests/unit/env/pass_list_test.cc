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
