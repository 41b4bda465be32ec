#include "compat/wheel_policy.h"

#include <algorithm>

#include "inspect/rules.h"
#include "unit/catch.h"
#include "unit/matrix/checks_of_schema.h"

using namespace pinwheel;
using namespace pinwheel::compat;

namespace {

bool judges(const WheelPolicy& policy, const std::string& rule) {
  return std::find(policy.rules.begin(), policy.rules.end(), rule) != policy.rules.end();
}

matrix::Settings with_checks(std::vector<matrix::Check> after) {
  matrix::Settings settings;
  settings.build.arch_list = {"9.0"};
  settings.checks.after = std::move(after);
  return settings;
}

}  // namespace

TEST_CASE("size is judged where the matrix names it, the rest always") {
  const Result<WheelPolicy> silent = wheel_policy(with_checks({}));
  REQUIRE(silent);
  CHECK(judges(*silent, "record"));
  CHECK_FALSE(judges(*silent, "size"));
  CHECK(silent->strict.empty());
  CHECK(silent->expected.arch_list == std::vector<std::string>{"9.0"});
  CHECK_FALSE(wheel_policy(with_checks({}), "cuda/13.0")->expected.arch_list.empty());
  CHECK(wheel_policy(with_checks({}), "xpu")->expected.arch_list.empty());

  const Result<WheelPolicy> named =
      wheel_policy(with_checks({{"size", {"2 MB"}}, {"device-code", {}}, {"debug-info", {}}}));
  REQUIRE(named);
  CHECK(judges(*named, "size"));
  CHECK(judges(*named, "device-code"));
  CHECK(named->expected.size_limit == 2'000'000);
  CHECK(named->strict == std::vector<std::string>{"size", "device-code", "debug-info"});
}

TEST_CASE("an arch list is a promise: device code is judged, named or not") {
  CHECK(judges(*wheel_policy(with_checks({})), "device-code"));
  matrix::Settings settings;
  CHECK_FALSE(judges(*wheel_policy(settings), "device-code"));
  settings.checks.after = {{"device-code"}};
  CHECK(judges(*wheel_policy(settings), "device-code"));
}

TEST_CASE("a rule that the matrix accepts is not judged") {
  matrix::Settings settings = with_checks({{"size", {"2 MB"}}});
  settings.checks.accept = {"torch-requirement", "device-code"};
  const Result<WheelPolicy> policy = wheel_policy(settings);
  REQUIRE(policy);
  CHECK_FALSE(judges(*policy, "torch-requirement"));
  CHECK_FALSE(judges(*policy, "device-code"));
  CHECK(judges(*policy, "size"));
  CHECK(judges(*policy, "record"));
}

TEST_CASE("a wheel may need what the matrix says that others provide") {
  matrix::Settings settings;
  settings.build.external = {"libodbc.so.*"};
  const Result<WheelPolicy> policy = wheel_policy(settings);
  REQUIRE(policy);
  CHECK(policy->expected.external == std::vector<std::string>{"libodbc.so.*"});
}

TEST_CASE("a size that is none is an error of the matrix") {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{}, std::vector<std::string>{"much"}}) {
    const Result<WheelPolicy> policy = wheel_policy(with_checks({{"size", arguments}}));
    REQUIRE_FALSE(policy);
    CHECK(policy.error().kind == ErrorKind::config);
  }
}

TEST_CASE("the torch of a C++ ABI is a minor release, of the Stable ABI all from its target on") {
  matrix::Abi abi;
  abi.torch = matrix::TorchAbi::minor;
  CHECK(pep::to_string(*declared_torch(abi, "2.13")) == "==2.13.*");
  CHECK_FALSE(declared_torch(abi, "nightly"));
  CHECK_FALSE(declared_torch(abi, ""));
  abi.torch = matrix::TorchAbi::stable;
  abi.torch_stable = "2.10";
  CHECK(pep::to_string(*declared_torch(abi, "nightly")) == ">=2.10");
  abi.torch = matrix::TorchAbi::none;
  CHECK_FALSE(declared_torch(abi, "2.13"));
}

TEST_CASE("a matrix may name every rule of inspect, and beside them what only a build can judge") {
  const std::vector<std::string> rules = inspect::rule_ids();
  std::set<std::string> wanted(rules.begin(), rules.end());
  wanted.insert("operators");
  CHECK(testing::checks_of_schema("after") == wanted);
}
