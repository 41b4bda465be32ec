#include "prepare/asked_run.h"

#include <string>
#include <utility>
#include <variant>

#include "prepare/step_choice.h"
#include "unit/catch.h"
#include "unit/prepare/checkout_world.h"

namespace pinwheel::prepare {
namespace {

/// The command line of a run in a checkout.
struct CommandWorld : CheckoutWorld {
  RunOptions options = {};
  std::optional<PlanFile> frozen = {};
  plan::Stage stage = plan::Stage::publish;

  Result<AskedRun> run() {
    options.selection = selection;
    options.levels = levels;
    return read_run(fake.host, {global, options, choice, stage, frozen}, fake.notices);
  }
  AskedRun asked() {
    Result<AskedRun> asked = run();
    INFO((asked ? std::string() : render(asked.error())));
    REQUIRE(asked);
    return *std::move(asked);
  }
  Error refused() {
    const Result<AskedRun> asked = run();
    REQUIRE_FALSE(asked);
    return asked.error();
  }
  void freeze(Ids variants) { frozen = PlanFile{frozen_plan(std::move(variants)), "plan digest"}; }
};

TEST_CASE("a fresh run is of the channel of the checkout, with locks unless they are left out") {
  CommandWorld world;
  const AskedRun asked = world.asked();
  CHECK(asked.scope.options.stage == plan::Stage::publish);
  CHECK(asked.scope.version.targets == Ids{"index"});
  CHECK(asked.scope.images == TestImageUse::prepare);
  CHECK(std::holds_alternative<FromLocks>(asked.source));
  CHECK(asked.steps.empty());
  CHECK(asked.plan_digest.empty());
  CHECK_FALSE(asked.scope.carried);
  world.options.no_lock = true;
  world.options.refresh = true;
  CHECK(std::get<FromIndexes>(world.asked().source).refresh == Refresh::yes);
}

TEST_CASE("a target that is named again is the same target, and only a release has targets") {
  CommandWorld world;
  world.options.targets = {"index", "index"};
  CHECK(world.asked().scope.version.targets == Ids{"index"});
  world.stage = plan::Stage::test;
  world.options.targets = {"other"};
  CHECK(world.asked().scope.version.targets == Ids{"index"});
}

TEST_CASE("a release to a channel that publishes nowhere ends with the tests, and says so") {
  CommandWorld world;
  world.selection.channel = "quiet";
  const AskedRun asked = world.asked();
  CHECK(asked.scope.options.stage == plan::Stage::test);
  CHECK(world.fake.notices.notes == Ids{nowhere_line("quiet")});
}

TEST_CASE("a release without a target is an error, and a test is not") {
  CommandWorld world;
  world.fake.git.known->tags.clear();
  world.fake.git.known->all_tags.clear();
  CHECK(world.refused().kind == ErrorKind::usage);
  world.stage = plan::Stage::test;
  CHECK(world.asked().scope.options.stage == plan::Stage::test);
}

TEST_CASE("`--step` narrows a run to what the steps need") {
  CommandWorld world;
  world.stage = plan::Stage::test;
  world.options.steps = {"test:cp311-plain"};
  const AskedRun asked = world.asked();
  CHECK(variants_of(asked.scope) == Ids{"cp311-plain"});
  REQUIRE(asked.scope.carried);
  CHECK(asked.scope.carried->steps.contains("test:cp311-plain"));
  CHECK_FALSE(asked.scope.carried->steps.contains("test:cp312-plain"));
  world.options.steps = {"test:cp311-plan"};
  CHECK(world.refused().kind == ErrorKind::usage);
  world.options.steps = {"publish:index"};
  CHECK(world.refused().message == "this command does not run `publish:index`");
}

TEST_CASE("`--step` excludes everything else that selects") {
  RunOptions options;
  options.steps = {"sdist"};
  CHECK(check_step_choice(options, {}));
  CHECK_FALSE(check_step_choice(options, {"cp311-*"}));
  options.selection.shard = "1/2";
  const Done refused = check_step_choice(options, {});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message == "`--step` and `--shard` exclude each other");
}

TEST_CASE("a run of a frozen plan has its packages, and the digests of both files") {
  CommandWorld world;
  world.freeze({"cp311-plain", "cp311-loud", "cp312-plain", "cp312-loud"});
  const AskedRun asked = world.asked();
  const auto* const source = std::get_if<FromFrozenPlan>(&asked.source);
  REQUIRE(source != nullptr);
  CHECK(source->matrix_digest == asked.scope.loaded.digest());
  CHECK(asked.plan_digest == "plan digest");
  CHECK(world.fake.files.reads.front() == "/repo/m.yaml");
}

TEST_CASE("a target of a frozen plan is a step of it") {
  CommandWorld world;
  world.freeze({"cp311-plain", "cp311-loud", "cp312-plain", "cp312-loud"});
  world.options.targets = {"index"};
  const AskedRun asked = world.asked();
  CHECK(asked.steps == Ids{"publish:index"});
  world.options.targets = {"inde"};
  const Error refused = world.refused();
  CHECK(refused.message == "the plan has no target `inde`");
  CHECK(refused.hint.find("index") != std::string::npos);
  world.frozen->plan.targets.clear();
  CHECK(world.refused().hint == "it was frozen for a channel that publishes nowhere");
}

TEST_CASE("a plan of another commit is drift") {
  CommandWorld world;
  world.freeze({"cp311-plain"});
  world.stage = plan::Stage::test;
  CHECK(world.run());
  world.fake.git.known->commit = std::string(40, 'b');
  CHECK(world.refused().kind == ErrorKind::drift);
}

TEST_CASE("a release of a plan has all variants of its channel, and a test need not") {
  CommandWorld world;
  world.freeze({"cp311-plain"});
  const Error refused = world.refused();
  CHECK(refused.kind == ErrorKind::drift);
  CHECK(refused.message.starts_with("the plan lacks 3 of the 4 variants of channel `release`"));
  world.stage = plan::Stage::test;
  CHECK(world.run());
}

TEST_CASE("a plan without targets releases nothing, unless its channel says so") {
  CommandWorld world;
  world.freeze({"cp311-plain", "cp311-loud", "cp312-plain", "cp312-loud"});
  world.frozen->plan.targets.clear();
  CHECK(world.refused().kind == ErrorKind::usage);
  world.frozen->plan.channel = "quiet";
  CHECK(world.asked().scope.options.stage == plan::Stage::test);
}

TEST_CASE("the version of the project and its files are checked before a run") {
  CommandWorld world;
  world.fake.files.put("pyproject.toml",
                       "[project]\nname = \"demo\"\nversion = \"0.9\"\n"
                       "[build-system]\nrequires = [\"setuptools\"]\n"
                       "build-backend = \"setuptools.build_meta\"\n");
  const Error refused = world.refused();
  CHECK(refused.kind == ErrorKind::config);
  CHECK(refused.message.find("0.9") != std::string::npos);
}

}  // namespace
}  // namespace pinwheel::prepare
