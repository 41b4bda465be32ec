#include "plan/frozen.h"

#include <fmt/format.h>

#include <chrono>

#include "env/patchelf.h"
#include "env/resolution.h"
#include "unit/catch.h"

using namespace pinwheel;
using namespace pinwheel::plan;

namespace {

FrozenPlan example() {
  FrozenPlan frozen;
  frozen.matrix_digest = "aa";
  frozen.channel = "release";
  frozen.targets = {"pypi"};
  frozen.variants = {"cp311-cpu"};
  frozen.version = {"1.2.0", "g1234567"};
  frozen.source_date_epoch = 1700000000;
  frozen.wheel_change = {"decaf", 1690000000};
  frozen.commit = "c0ffee";
  frozen.tag = "v1.2.0";
  frozen.repository = "acme/ops";
  frozen.source_digest = "bb";
  frozen.machine = "x86_64";
  frozen.levels = {
      container::Engine::podman, env::PythonSource::conda, {{"cuda/*", "mirror/cuda:13"}}};
  frozen.images = {{"cd34", {"debian:12", "sha256:aa", {"docker.io/debian@sha256:ff"}, "key"}},
                   {"ef56", {"debian:11", "sha256:bb", {}, "key", "3.9.2", "cpython"}}};
  frozen.resolutions = {{"ab12", "{\"packages\": []}"}};
  frozen.answers = {{"ef56", {"cffi>=1"}}};
  frozen.patchelf = env::kPatchelfVersion;
  frozen.matrix = "matrix/demo.yaml";
  frozen.variables = std::map<std::string, std::string>{{"CXXFLAGS", "-O2"}};
  frozen.files = {"x-1.2.0-py3-none-*_x86_64.whl"};
  return frozen;
}

}  // namespace

TEST_CASE("a frozen plan round-trips through JSON") {
  const Result<FrozenPlan> back = parse_frozen_plan(to_json(example()), "plan.json");
  REQUIRE(back);
  CHECK(*back == example());
}

TEST_CASE("a frozen plan has the build number of a re-cut") {
  FrozenPlan plan = example();
  CHECK(to_json(plan).find("build-number") == std::string::npos);
  plan.version.build = 7;
  const std::string text = to_json(plan);
  CHECK(parse_frozen_plan(text, "plan.json").value() == plan);
  for (const char* other : {"0", "-1", "1.5", "\"7\"", "null", "99999999999999999999"}) {
    INFO(other);
    std::string changed = text;
    changed.replace(changed.find("\"build-number\": 7") + 16, 1, other);
    const Result<FrozenPlan> refused = parse_frozen_plan(changed, "plan.json");
    REQUIRE_FALSE(refused);
    CHECK(refused.error().kind == ErrorKind::config);
    CHECK(refused.error().message.find("is not a build number") != std::string::npos);
  }
}

TEST_CASE("the fingerprint of a plan outlives the day, and nothing else", "[fingerprint]") {
  const auto resolved = [](const char* version, int64_t at) {
    env::Resolution resolution;
    resolution.request = "ab12";
    resolution.python = "3.11.7";
    resolution.packages = {{"torch", version, fmt::format("torch-{}.whl", version), "00"}};
    resolution.at = std::chrono::sys_seconds(std::chrono::seconds(at));
    return env::to_json(resolution);
  };
  FrozenPlan plan = example();
  plan.resolutions = {{"ab12", resolved("2.16.0.dev1", 1)}};
  const std::string first = fingerprint(plan).value();
  FrozenPlan next_day = plan;
  next_day.version = {"1.3.0.dev20261126", ""};
  next_day.tag.clear();
  next_day.files = {"x-1.3.0.dev20261126-py3-none-*_x86_64.whl"};
  next_day.source_date_epoch += 86400;
  next_day.machine = "another";
  next_day.resolutions = {{"ab12", resolved("2.16.0.dev1", 86401)}};
  CHECK(fingerprint(next_day).value() == first);
  FrozenPlan other_torch = next_day;
  other_torch.resolutions = {{"ab12", resolved("2.16.0.dev2", 86401)}};
  CHECK(fingerprint(other_torch).value() != first);
  FrozenPlan other_commit = next_day;
  other_commit.commit = "beef";
  CHECK(fingerprint(other_commit).value() != first);
  FrozenPlan recut = next_day;
  recut.version.build = 1;
  CHECK(fingerprint(recut).value() != first);
  next_day.resolutions = {{"ab12", "{}"}};
  CHECK_FALSE(fingerprint(next_day));
}

TEST_CASE("text that is not a frozen plan is a config error that names the file") {
  for (const char* text : {"", "[]", "{}", "{\"schema\": \"pinwheel-frozen-plan/3\"}",
                           "{\"schema\": \"pinwheel-frozen-plan/1\"}"}) {
    INFO(text);
    const Result<FrozenPlan> read = parse_frozen_plan(text, "plan.json");
    REQUIRE_FALSE(read);
    CHECK(read.error().kind == ErrorKind::config);
    CHECK(read.error().message.find("`plan.json`") != std::string::npos);
  }
}

TEST_CASE("a plan that nests without end is an error, not the end of the stack") {
  std::string text = to_json(example());
  const std::string answers = R"("backend-answers": {)";
  const size_t at = text.find(answers);
  REQUIRE(at != std::string::npos);
  text.insert(at + answers.size(),
              R"("ab": )" + std::string(400'000, '[') + std::string(400'000, ']') + ",");
  const Result<FrozenPlan> read = parse_frozen_plan(text, "plan.json");
  REQUIRE_FALSE(read);
  CHECK(read.error().kind == ErrorKind::config);
  CHECK(read.error().message == "`plan.json` is not a frozen plan: it has more than 100 levels");
}

TEST_CASE("a name that JSON cannot have is refused in a plan, and replaced in a report") {
  CHECK(check_names(example()));
  FrozenPlan matrix = example();
  matrix.matrix = "m\xff.yaml";
  FrozenPlan base = example();
  base.levels.bases = {{"*", "mirror/\xff"}};
  FrozenPlan variable = example();
  variable.variables = std::map<std::string, std::string>{{"CFLAGS", "-I\xe9"}};
  for (const auto& [frozen, name] :
       {std::pair{matrix, R"(`m\xff.yaml`)"}, {base, R"(`mirror/\xff`)"}, {variable, "`CFLAGS`"}}) {
    INFO(name);
    const Done refused = check_names(frozen);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().kind == ErrorKind::config);
    CHECK(refused.error().message.find(name) != std::string::npos);
    CHECK(parse_frozen_plan(to_json(frozen), "plan.json"));
  }
}

TEST_CASE("a resolution that would leave its directory is rejected") {
  FrozenPlan frozen = example();
  frozen.resolutions = {{"../../x", "{}"}};
  const Result<FrozenPlan> read = parse_frozen_plan(to_json(frozen), "plan.json");
  REQUIRE_FALSE(read);
  CHECK(read.error().kind == ErrorKind::config);
}

TEST_CASE("a target or variant that is listed twice is a config error that names it") {
  FrozenPlan targets = example();
  targets.targets = {"pypi", "pypi"};
  FrozenPlan variants = example();
  variants.variants = {"cp311-cpu", "cp312-cpu", "cp311-cpu"};
  for (const auto& [frozen, name] : {std::pair{targets, "`pypi`"}, {variants, "`cp311-cpu`"}}) {
    INFO(name);
    const Result<FrozenPlan> read = parse_frozen_plan(to_json(frozen), "plan.json");
    REQUIRE_FALSE(read);
    CHECK(read.error().kind == ErrorKind::config);
    CHECK(read.error().message.find(name) != std::string::npos);
  }
}

TEST_CASE("an answer that would leave its directory is rejected") {
  FrozenPlan frozen = example();
  frozen.answers = {{"../x", {"cffi"}}};
  const Result<FrozenPlan> read = parse_frozen_plan(to_json(frozen), "plan.json");
  REQUIRE_FALSE(read);
  CHECK(read.error().kind == ErrorKind::config);
}

TEST_CASE("a matrix or source that differs from the frozen one is drift") {
  CHECK(check_frozen(example(), "aa", "bb"));
  CHECK(check_frozen(example(), "ax", "bb").error().kind == ErrorKind::drift);
  CHECK(check_frozen(example(), "aa", "bx").error().kind == ErrorKind::drift);
  FrozenPlan other = example();
  other.patchelf = "0.1";
  CHECK(check_frozen(other, "aa", "bb").error().kind == ErrorKind::drift);
}

TEST_CASE("an unknown engine or Python source is a config error") {
  for (const auto& [from, to] : {std::pair{"podman", "lxc"}, std::pair{"conda", "poetry"}}) {
    std::string text = to_json(example());
    text.replace(text.find(from), std::string(from).size(), to);
    const Result<FrozenPlan> read = parse_frozen_plan(text, "plan.json");
    REQUIRE_FALSE(read);
    CHECK(read.error().kind == ErrorKind::config);
    CHECK(read.error().message.find(to) != std::string::npos);
  }
}

TEST_CASE("another base image, and another Dockerfile on the same base, are drift") {
  const FrozenImage image = example().images.at("cd34");
  CHECK(check_image(image, "sha256:aa", "key"));
  CHECK(check_image(image, "sha256:bb", "key").error().kind == ErrorKind::drift);
  CHECK(check_image(image, "sha256:bb", "key").error().message.find("`debian:12`") !=
        std::string::npos);
  CHECK(check_image(image, "sha256:aa", "other").error().kind == ErrorKind::drift);
}
