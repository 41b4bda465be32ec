#include "plan/frozen.h"

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
  frozen.commit = "c0ffee";
  frozen.source_digest = "bb";
  frozen.machine = "x86_64";
  frozen.resolutions = {{"ab12", "{\"packages\": []}"}};
  frozen.files = {"x-1.2.0-py3-none-*_x86_64.whl"};
  return frozen;
}

}  // namespace

TEST_CASE("a frozen plan reads back as it was written") {
  const Result<FrozenPlan> back = parse_frozen_plan(to_json(example()), "plan.json");
  REQUIRE(back);
  CHECK(*back == example());
}

TEST_CASE("what is not a frozen plan is a config error that names the file") {
  for (const char* text : {"", "[]", "{}", "{\"schema\": \"pinwheel-frozen-plan/2\"}",
                           "{\"schema\": \"pinwheel-frozen-plan/1\"}"}) {
    INFO(text);
    const Result<FrozenPlan> read = parse_frozen_plan(text, "plan.json");
    REQUIRE_FALSE(read);
    CHECK(read.error().kind == ErrorKind::config);
    CHECK(read.error().message.find("`plan.json`") != std::string::npos);
  }
}

TEST_CASE("a resolution that would leave its directory is refused") {
  FrozenPlan frozen = example();
  frozen.resolutions = {{"../../x", "{}"}};
  const Result<FrozenPlan> read = parse_frozen_plan(to_json(frozen), "plan.json");
  REQUIRE_FALSE(read);
  CHECK(read.error().kind == ErrorKind::config);
}

TEST_CASE("another matrix or another source than the frozen one is drift") {
  CHECK(check_frozen(example(), "aa", "bb"));
  CHECK(check_frozen(example(), "ax", "bb").error().kind == ErrorKind::drift);
  CHECK(check_frozen(example(), "aa", "bx").error().kind == ErrorKind::drift);
}
