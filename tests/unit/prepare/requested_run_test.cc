#include "prepare/requested_run.h"

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

  Result<RequestedRun> run() {
    options.selection = selection;
    options.levels = levels;
    return read_run(fake.host, {global, options, choice, stage, frozen}, fake.notices);
  }
  RequestedRun requested() {
    Result<RequestedRun> requested = run();
    INFO((requested ? std::string() : render(requested.error())));
    REQUIRE(requested);
    return *std::move(requested);
  }
  Error refused() {
    const Result<RequestedRun> requested = run();
    REQUIRE_FALSE(requested);
    return requested.error();
  }
  void freeze(Ids variants) { frozen = PlanFile{frozen_plan(std::move(variants)), "plan digest"}; }
};

TEST_CASE("a fresh run is of the channel of the checkout, with locks unless they are left out") {
  CommandWorld world;
  const RequestedRun requested = world.requested();
  CHECK(requested.scope.options.stage == plan::Stage::publish);
  CHECK(requested.scope.version.targets == Ids{"index"});
  CHECK(requested.scope.images == TestImageUse::prepare);
  CHECK(std::holds_alternative<FromLocks>(requested.source));
  CHECK(requested.steps.empty());
  CHECK(requested.plan_digest.empty());
  CHECK_FALSE(requested.scope.executed);
  world.options.no_lock = true;
  world.options.refresh = true;
  CHECK(std::get<FromIndexes>(world.requested().source).refresh == Refresh::yes);
}

TEST_CASE("a target that is named again is the same target, and only a release has targets") {
  CommandWorld world;
  world.options.targets = {"index", "index"};
  CHECK(world.requested().scope.version.targets == Ids{"index"});
  world.stage = plan::Stage::test;
  world.options.targets = {"other"};
  CHECK(world.requested().scope.version.targets == Ids{"index"});
}

TEST_CASE("a release to a channel that publishes nowhere ends with the tests, with a note") {
  CommandWorld world;
  world.selection.channel = "quiet";
  const RequestedRun requested = world.requested();
  CHECK(requested.scope.options.stage == plan::Stage::test);
  CHECK(world.fake.notices.notes == Ids{nowhere_line("quiet")});
}

TEST_CASE("a release without a target is an error, and a test is not") {
  CommandWorld world;
  world.fake.git.known->tags.clear();
  world.fake.git.known->all_tags.clear();
  CHECK(world.refused().kind == ErrorKind::usage);
  world.stage = plan::Stage::test;
  CHECK(world.requested().scope.options.stage == plan::Stage::test);
}

TEST_CASE("`--step` narrows a run to the steps and their needs") {
  CommandWorld world;
  world.stage = plan::Stage::test;
  world.options.steps = {"test:cp311-plain"};
  const RequestedRun requested = world.requested();
  CHECK(variants_of(requested.scope) == Ids{"cp311-plain"});
  REQUIRE(requested.scope.executed);
  CHECK(requested.scope.executed->steps.contains("test:cp311-plain"));
  CHECK_FALSE(requested.scope.executed->steps.contains("test:cp312-plain"));
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
  const RequestedRun requested = world.requested();
  const auto* const source = std::get_if<FromFrozenPlan>(&requested.source);
  REQUIRE(source != nullptr);
  CHECK(source->matrix_digest == requested.scope.loaded.digest());
  CHECK(requested.plan_digest == "plan digest");
  CHECK(world.fake.files.reads.front() == "/repo/m.yaml");
}

TEST_CASE("a target of a frozen plan is a step of it") {
  CommandWorld world;
  world.freeze({"cp311-plain", "cp311-loud", "cp312-plain", "cp312-loud"});
  world.options.targets = {"index"};
  const RequestedRun requested = world.requested();
  CHECK(requested.steps == Ids{"publish:index"});
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

TEST_CASE("a release of a plan without targets is an error, unless its channel publishes nowhere") {
  CommandWorld world;
  world.freeze({"cp311-plain", "cp311-loud", "cp312-plain", "cp312-loud"});
  world.frozen->plan.targets.clear();
  CHECK(world.refused().kind == ErrorKind::usage);
  world.frozen->plan.channel = "quiet";
  CHECK(world.requested().scope.options.stage == plan::Stage::test);
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
