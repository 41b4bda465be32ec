#include "host/log/masked_log.h"

#include <set>

#include "fakes/recorded_log.h"
#include "unit/catch.h"

using namespace pinwheel;

namespace {

std::set<std::string> revealed(const std::vector<Secret>& secrets) {
  std::set<std::string> texts;
  for (const Secret& secret : secrets) texts.insert(secret.reveal());
  return texts;
}

}  // namespace

TEST_CASE("secrets are found by the names of variables and in the URLs of any") {
  CHECK(revealed(host::secrets_in({{"GH_TOKEN", "ghp_012345"},
                                   {"API_KEY", "short"},
                                   {"PIP_INDEX_URL", "https://me:pa%2Fssword@host/simple"},
                                   {"PIP_EXTRA_INDEX_URL", "https://h/a https://t0k3n012@g/b"},
                                   {"AWS_SHARED_CREDENTIALS_FILE", "/home/me/credentials"},
                                   {"ODD_TOKEN_FILE", "t0k3n-value"},
                                   {"ODD_TOKEN", "/s3cr3t/value"},
                                   {"PATH", "/usr/bin"}})) ==
        std::set<std::string>{"ghp_012345", "t0k3n-value", "/s3cr3t/value", "pa%2Fssword",
                              "pa/ssword", "t0k3n012"});
}

TEST_CASE("credentials are found in addresses and proxies, whatever their variables are called") {
  CHECK(revealed(host::credentials_in({{"PIP_INDEX_URL", "https://__token__:pypi-0123@h/simple"},
                                       {"HTTPS_PROXY", "me:proxy%20word@proxy:3128"},
                                       {"http_proxy", "http://me:longpassword@proxy:3128"},
                                       {"OTHER", "git+https://ghp_0123456:x-oauth-basic@h/a.git"},
                                       {"GH_TOKEN", "ghp_012345"},
                                       {"MAIL", "someone-long@example.org"}})) ==
        std::set<std::string>{"pypi-0123", "proxy%20word", "proxy word", "longpassword",
                              "ghp_0123456"});
}

TEST_CASE("a masked log hides secrets and URLs' credentials in every text of an event") {
  const auto recorded = std::make_shared<fakes::RecordedLog>();
  host::MaskedLog log(recorded);
  log.hide(Secret("hunter22"));
  log.hide(Secret(""));
  log.hide(Secret("hunter22-longer"));
  log.write(
      {ports::LogLevel::info,
       "process_started",
       {{"argv", std::vector<std::string>{"sh", "-c", "login hunter22-longer; echo hunter22"}},
        {"address", "https://me:pw@host/a?b=c"},
        {"code", int64_t{7}}}});
  REQUIRE(recorded->events.size() == 1);
  CHECK(recorded->events[0] ==
        ports::LogEvent{ports::LogLevel::info,
                        "process_started",
                        {{"argv", std::vector<std::string>{"sh", "-c", "login ***; echo ***"}},
                         {"address", "https://***@host/a?***"},
                         {"code", int64_t{7}}}});
}

TEST_CASE("passwords and queries in the addresses of a command line are secrets") {
  CHECK(revealed(host::secrets_of({"inspect", "https://host/a.whl?sig=0123456789&x=1#sha256=00",
                                   "--index=https://user:passw0rd@host/simple",
                                   "what?ever=12345678", "https://host/?short"})) ==
        std::set<std::string>{"sig=0123456789&x=1", "passw0rd"});
}
