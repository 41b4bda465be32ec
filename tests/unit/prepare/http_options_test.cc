#include "prepare/http_options.h"

#include <map>
#include <string>

#include "fakes/fake_host.h"
#include "unit/catch.h"
#include "unit/host/scratch.h"

namespace pinwheel::prepare {
namespace {

using UserVariables = std::map<std::string, std::string>;

TEST_CASE("requests to an index name pinwheel and use the certificates of the user") {
  const host::HttpOptions options = http_options({{"SSL_CERT_FILE", "/etc/own.pem"}});
  CHECK(options.user_agent == std::string("pinwheel/") + kPinwheelVersion);
  CHECK(options.ca_bundle == "/etc/own.pem");
  CHECK(options.connections == host::Connections::fresh);
  CHECK(options.netrc.empty());
}

TEST_CASE("pages are read over persistent connections with the netrc of the user") {
  const Scratch scratch;
  const std::string netrc = scratch.write("netrc", "").string();
  const host::HttpOptions options = reading_options({{"NETRC", netrc}});
  CHECK(options.connections == host::Connections::reused);
  CHECK(options.netrc == netrc);
}

TEST_CASE("bounds of transfers come from the command, else from the variables") {
  const UserVariables variables = {{"PINWHEEL_MIN_SPEED", "20 KB"},
                                   {"PINWHEEL_TRANSFER_TIME", "5 min"}};
  CHECK(http_options(variables).bounds.longest == std::chrono::minutes(5));
  const auto options = transfer_options(variables, {"", "7 min"});
  REQUIRE(options);
  CHECK(options->bounds.longest == std::chrono::minutes(7));
  CHECK(options->bounds.min_speed == http_options(variables).bounds.min_speed);
  const auto given = with_transfer(variables, {"30 KB", ""});
  REQUIRE(given);
  CHECK(given->at("PINWHEEL_MIN_SPEED") == "30 KB");
  CHECK(given->at("PINWHEEL_TRANSFER_TIME") == "5 min");
}

TEST_CASE("malformed bounds are refused, and replace no default elsewhere") {
  const UserVariables variables = {{"PINWHEEL_TRANSFER_TIME", "soon"}};
  const Done checked = check_transfer_variables(variables);
  REQUIRE_FALSE(checked);
  CHECK(checked.error().kind == ErrorKind::usage);
  CHECK(http_options(variables).bounds.longest == host::HttpBounds().longest);
  CHECK(transfer_options(variables, {}).error().kind == ErrorKind::usage);
  CHECK(transfer_options(variables, {"", "5 min"}));
  CHECK(with_transfer({}, {"fast", ""}).error().kind == ErrorKind::usage);
  CHECK(check_transfer_variables({}));
}

TEST_CASE("the indexes are those of pip's configuration") {
  fakes::FakeHost fake;
  ports::Command asked;
  fake.process.run = [&asked](const ports::Command& command) -> Result<ports::Captured> {
    asked = command;
    return ports::Captured{{}, "global.index-url='https://example.org/simple'\n", ""};
  };
  fake.host.variables["PIP_INDEX_URL"] = "https://example.org/other";
  CHECK(pip_settings(fake.host, fake.notices.log()).index == "https://example.org/simple");
  CHECK(asked.argv.back() == "list");
}

TEST_CASE("without a pip the indexes are those of its variables") {
  fakes::FakeHost fake;
  fake.host.variables["PIP_INDEX_URL"] = "https://example.org/simple";
  fake.host.variables["PIP_CERT"] = "/etc/own.pem";
  fake.host.variables["PIP_NO_INDEX"] = "";
  const env::PipIndexes without_pip = pip_settings(fake.host, fake.notices.log());
  CHECK(without_pip.index == "https://example.org/simple");
  CHECK(without_pip.certificates == "/etc/own.pem");
  CHECK_FALSE(without_pip.no_index);
  fake.process.run = [](const ports::Command&) -> Result<ports::Captured> {
    return ports::Captured{{.code = 1}, "global.index-url='https://example.org/broken'\n", ""};
  };
  CHECK(pip_settings(fake.host, fake.notices.log()) == without_pip);
}

}  // namespace
}  // namespace pinwheel::prepare
