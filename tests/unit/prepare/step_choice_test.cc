#include "prepare/step_choice.h"

#include <set>
#include <string>

#include "prepare/plan_facts.h"
#include "prepare/prepared_run.h"
#include "unit/prepare/matrix_world.h"

namespace pinwheel::prepare {
namespace {

using Ids = std::set<std::string>;

TEST_CASE("steps and a selection exclude each other, which names the option") {
  RunOptions options;
  CHECK(check_step_choice(options, {"cp311"}));
  options.steps = {"build:cp311"};
  CHECK(check_step_choice(options, {}));
  const auto message = [&options](const std::vector<std::string>& globs) {
    const Done checked = check_step_choice(options, globs);
    REQUIRE_FALSE(checked);
    CHECK(checked.error().kind == ErrorKind::usage);
    return checked.error().message;
  };
  options.selection.shard = "1/2";
  CHECK(message({}) == "`--step` and `--shard` exclude each other");
  options.selection.status = {"supported"};
  CHECK(message({}) == "`--step` and `--status` exclude each other");
  options.selection.skip = {"a"};
  CHECK(message({}) == "`--step` and `--skip` exclude each other");
  options.selection.selectors = {"a=b"};
  CHECK(message({}) == "`--step` and `--select` exclude each other");
  options.selection.only = {"a"};
  CHECK(message({}) == "`--step` and `--only` exclude each other");
  CHECK(message({"cp311"}) == "`--step` and `cp311` exclude each other");
}

TEST_CASE("the scope of a step has its variant, and executes the step and its needs") {
  fakes::FakeHost fake;
  const RunScope whole = whole_scope(fake, kPlainYaml);
  CHECK(narrowed_to_steps(whole, {})->outline.variants.size() == 2);
  const Result<RunScope> part = narrowed_to_steps(whole, {"test:cp311"});
  REQUIRE(part);
  REQUIRE(part->outline.variants.size() == 1);
  CHECK(part->outline.variants.front().id == "cp311");
  REQUIRE(part->executed);
  CHECK(part->executed->steps == Ids{"build:cp311", "test:cp311"});
  CHECK_FALSE(part->executed->requests.empty());
  const Result<RunScope> build = narrowed_to_steps(whole, {"build:cp311"});
  REQUIRE(build);
  CHECK(build->executed->steps == Ids{"build:cp311"});
  CHECK(build->executed->requests.size() <= part->executed->requests.size());
}

TEST_CASE("a step of a later stage or of no stage is refused") {
  fakes::FakeHost fake;
  const RunScope whole = whole_scope(fake, kPlainYaml);
  const Result<RunScope> publish = narrowed_to_steps(whole, {"publish:index"});
  REQUIRE_FALSE(publish);
  CHECK(publish.error().kind == ErrorKind::usage);
  CHECK(publish.error().message == "this command does not run `publish:index`");
  CHECK(publish.error().hint == "use `pinwheel release`");
  const RunScope builds = *up_to(plan::Stage::build, whole);
  const Result<RunScope> test = narrowed_to_steps(builds, {"test:cp311"});
  REQUIRE_FALSE(test);
  CHECK(test.error().hint == "use `pinwheel test` or `pinwheel release`");
  const Result<RunScope> typo = narrowed_to_steps(whole, {"build:cp31"});
  REQUIRE_FALSE(typo);
  CHECK(typo.error().kind == ErrorKind::usage);
  CHECK(typo.error().hint.find("build:cp311") != std::string::npos);
}

TEST_CASE("builds, sdists and tests have an environment, other actions have none") {
  const plan::Action build = plan::BuildWheel{};
  const plan::Action sdist = plan::BuildSdist{};
  const plan::Action test = plan::TestWheel{};
  CHECK(request_of(build) == &std::get<plan::BuildWheel>(build).environment);
  CHECK(request_of(sdist) == &std::get<plan::BuildSdist>(sdist).environment);
  CHECK(request_of(test) == &std::get<plan::TestWheel>(test).environment);
  CHECK(request_of(plan::Action(plan::Publish{})) == nullptr);
  CHECK(request_of(plan::Action(plan::CreateEnvironment{})) == nullptr);
}

TEST_CASE("the answers of backends change the needs of the steps of a run") {
  fakes::FakeHost fake;
  const RunScope whole = whole_scope(fake, kPlainYaml);
  RunScope part = *narrowed_to_steps(whole, {"build:cp311"});
  const Ids before = part.executed->requests;
  CHECK(with_answered_needs(part)->executed->requests == before);
  part.loaded.matrix.backend_answers["cp311"] = {"question", {"cython"}};
  const Result<RunScope> answered = with_answered_needs(part);
  REQUIRE(answered);
  CHECK(answered->executed->steps == Ids{"build:cp311"});
  CHECK(answered->executed->requests != before);
  RunScope all = whole;
  all.loaded.matrix.backend_answers = part.loaded.matrix.backend_answers;
  CHECK_FALSE(with_answered_needs(all)->executed);
}

TEST_CASE("the build requirements of the project are among the needs of the steps of a run") {
  fakes::FakeHost fake;
  RunScope part = *narrowed_to_steps(whole_scope(fake, kPlainYaml), {"build:cp311"});
  const Ids before = part.executed->requests;
  part.loaded.matrix.build_requires["demo"] = {"setuptools>=61"};
  const Result<RunScope> known = with_answered_needs(part);
  REQUIRE(known);
  CHECK(known->executed->requests != before);
}

TEST_CASE("images of the command line belong to containers") {
  LevelOptions levels;
  levels.base_images = {"debian:12"};
  const auto host = plan_options(plan::Stage::build, {}, levels);
  REQUIRE_FALSE(host);
  CHECK(host.error().kind == ErrorKind::usage);
  CHECK(host.error().message == "`--base-image` needs a container engine");
  levels.engine = container::Engine::podman;
  levels.base_images = {"debian:12", "cuda/*=nvidia/cuda:13"};
  const auto options = plan_options(plan::Stage::build, {"index"}, levels);
  REQUIRE(options);
  CHECK(options->python == env::PythonSource::conda);
  CHECK(options->targets == std::vector<std::string>{"index"});
  using Bases = std::vector<std::pair<std::string, std::string>>;
  CHECK(options->bases == Bases{{"*", "debian:12"}, {"cuda/*", "nvidia/cuda:13"}});
  levels.base_images = {"cuda/*="};
  const auto empty = plan_options(plan::Stage::build, {}, levels);
  REQUIRE_FALSE(empty);
  CHECK(empty.error().message == "`--base-image cuda/*=` has no image");
}

}  // namespace
}  // namespace pinwheel::prepare
