#include "plan/key.h"

#include <nlohmann/json.hpp>

#include "base/digest.h"
#include "plan/step.h"
#include "unit/catch.h"

using namespace pinwheel;
using namespace pinwheel::plan;

namespace {

StepOutcome with_output(const std::string& path, const std::string& sha256) {
  StepOutcome outcome;
  outcome.key = "k";
  outcome.outputs = {{path, sha256, 3}};
  return outcome;
}

}  // namespace

TEST_CASE("the parts of a key are named, and long values are replaced by their digest") {
  BuildWheel action;
  action.version = "1.2.0";
  action.variables = {{"CXXFLAGS", "-O2"}};
  action.record_json = std::string(100, 'x');
  const KeyParts parts = key_parts(action);
  CHECK(parts.at("version") == "\"1.2.0\"");
  CHECK(parts.at("variables.CXXFLAGS") == "\"-O2\"");
  CHECK(parts.at("record").size() == 64);
}

TEST_CASE("a key has the build number of a re-cut, which no compiler sees") {
  BuildWheel build;
  build.namings = {{"my-ops", "1.0"}};
  const KeyParts first = key_parts(build);
  CHECK_FALSE(first.contains("build-number"));
  CHECK(first.at("namings") == R"([["my-ops","1.0"]])");
  build.build_number = 2;
  build.namings[0].build = 2;
  const KeyParts recut = key_parts(build);
  CHECK(recut.at("build-number") == "2");
  CHECK(recut.at("namings") == R"([["my-ops","1.0",2]])");
  CHECK(compile_parts(recut) == compile_parts(first));
}

TEST_CASE("the key of a build includes its access to the network") {
  BuildWheel build;
  CHECK_FALSE(key_parts(build).contains("network"));
  build.settings.build.network = matrix::BuildNetwork::whole;
  CHECK(key_parts(build).at("network") == "true");
}

TEST_CASE("a key has the findings that are accepted, if there are some") {
  BuildWheel build;
  CHECK_FALSE(key_parts(build).contains("accept"));
  build.settings.checks.accept = {"relro"};
  CHECK(key_parts(build).at("accept") == "[\"relro\"]");
}

TEST_CASE("a key has the names of secrets, if there are some") {
  BuildWheel build;
  CHECK_FALSE(key_parts(build).contains("secrets"));
  build.secrets = {"LICENSE_TOKEN"};
  CHECK(key_parts(build).at("secrets") == "[\"LICENSE_TOKEN\"]");
  TestWheel test;
  test.secrets = {"A", "B"};
  CHECK(key_parts(test).at("secrets") == "[\"A\",\"B\"]");
  BuildSdist sdist;
  sdist.secrets = {"A"};
  CHECK(key_parts(sdist).at("secrets") == "[\"A\"]");
  CHECK(secrets_of(Action(test)) == test.secrets);
  CHECK(secrets_of(Action(Publish{})).empty());
}

TEST_CASE("the mode of a repair is in the key, with its program") {
  BuildWheel action;
  CHECK(key_parts(action).at("repair.mode") == "\"auto\"");
  CHECK(key_parts(action).contains("repair.patchelf"));
  action.settings.build.repair = {matrix::RepairMode::none, {}};
  CHECK_FALSE(key_parts(action).contains("repair.patchelf"));
  action.settings.build.repair = {matrix::RepairMode::command, {"fix"}};
  CHECK(key_parts(action).at("repair.command") == "[\"fix\"]");
}

TEST_CASE("external libraries are in the key of a build, if the matrix names any") {
  BuildWheel action;
  CHECK_FALSE(key_parts(action).contains("repair.external"));
  const std::string recipe = recipe_of(action);
  action.settings.build.external = {"libodbc.so.*"};
  CHECK(key_parts(action).at("repair.external") == "[\"libodbc.so.*\"]");
  CHECK(recipe_of(action) != recipe);
}

TEST_CASE("a recipe omits the tools of a build, and nothing else") {
  BuildWheel action;
  action.version = "1.2.0";
  action.environment.python = "3.11";
  const std::string recipe = recipe_of(action);
  action.toolchain = "12.2.0 x86_64-linux-gnu";
  action.record_json = "{}";
  action.environment.container.base = "debian:bookworm";
  action.environment.conda = {{"conda-forge"}, {"python=3.11"}};
  CHECK(recipe_of(action) == recipe);
  CHECK(wheel_record(action).find(recipe) != std::string::npos);
  action.environment.python = "3.12";
  CHECK(recipe_of(action) != recipe);
  action.environment.python = "3.11";
  action.version = "1.2.1";
  CHECK(recipe_of(action) != recipe);
}

TEST_CASE("a key depends on the products of the needs, by their ids") {
  const KeyParts own = {{"version", "1"}};
  CHECK(key_of(own) != key_of(with_needs(own, {{"build:cpu", "a"}})));
  CHECK(key_of(with_needs(own, {{"build:cpu", "a"}})) !=
        key_of(with_needs(own, {{"build:cpu", "b"}})));
  CHECK(key_of(with_needs(own, {{"build:cpu", "a"}})) !=
        key_of(with_needs(own, {{"build:cu13", "a"}})));
}

TEST_CASE("the key with the products of needs is that of all parts") {
  const KeyParts own = {{"name", "1"}, {"needed", "2"}, {"network", "3"}};
  CHECK(key_of(own, {}) == key_of(own));
  // In any order, and a need may be listed twice.
  CHECK(key_of(own, {{"test:b", "y"}, {"build:a", "x"}, {"test:b", "y"}}) ==
        key_of(with_needs(own, {{"build:a", "x"}, {"test:b", "y"}})));
  CHECK(key_of({}, {{"env:1", "x"}}) == key_of(with_needs({}, {{"env:1", "x"}})));
}

TEST_CASE("a key is the digest of its parts and the schema of keys as JSON") {
  const KeyParts parts = {{"a \"quoted\" name", R"("a\\b")"},
                          {"control", "line\nend\x7f"},
                          {"unicode", "\"gr\xc3\xbc\xc3\x9f\""},
                          {"version", "\"1\""}};
  for (const KeyParts& each : {parts, KeyParts{}}) {
    CHECK(key_of(each) == sha256_hex(nlohmann::json({{"schema", 3}, {"parts", each}}).dump()));
  }
}

TEST_CASE("a product is the files by name and contents, in any directory, and the evidence") {
  const StepOutcome here = with_output("/here/a.whl", "1");
  CHECK(product_of(here) == product_of(with_output("/there/a.whl", "1")));
  CHECK(product_of(here) != product_of(with_output("/here/b.whl", "1")));
  CHECK(product_of(here) != product_of(with_output("/here/a.whl", "2")));
  StepOutcome test;
  test.key = "k";
  CHECK(product_of(test) == "k");
  test.evidence = Evidence::ran;
  const std::string ran = product_of(test);
  test.evidence = Evidence::loaded;
  CHECK(product_of(test) != ran);
}

TEST_CASE("the compile key does not depend on names, tags and checks") {
  BuildWheel action;
  action.class_id = "any";
  action.tags = {"py3", "none", "x86_64", {}};
  const auto compiled = [](const BuildWheel& each) {
    return key_of(compile_parts(key_parts(Action(each))));
  };
  BuildWheel renamed = action;
  renamed.class_id = "cp311";
  renamed.tags = {"cp311", "cp311", "x86_64", {}};
  renamed.namings = {{"demo", "1.0", {}}};
  renamed.requires_torch = "torch>=2.10";
  renamed.settings.checks.after = {{"platform-tag", {}}};
  CHECK(key_of(key_parts(Action(renamed))) != key_of(key_parts(Action(action))));
  CHECK(compiled(renamed) == compiled(action));
  renamed.variables = {{"CXXFLAGS", "-O2"}};
  CHECK(compiled(renamed) != compiled(action));
  renamed = action;
  renamed.version = "2";
  CHECK(compiled(renamed) != compiled(action));
  renamed = action;
  renamed.environment.python = "3.12";
  CHECK(compiled(renamed) != compiled(action));
}
