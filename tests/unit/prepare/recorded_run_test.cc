#include "prepare/recorded_run.h"

#include <string>
#include <utility>

#include "fakes/fake_pip.h"
#include "host/machine/machine_name.h"
#include "prepare/frozen_run.h"
#include "unit/host/scratch.h"
#include "unit/prepare/matrix_world.h"

namespace pinwheel::prepare {
namespace {

FromRun example() {
  plan::RunOrigin origin;
  origin.plan.source_digest = "source";
  origin.plan.matrix_digest = "matrix";
  origin.toolchain = "12.2.0";
  return {origin, "matrix"};
}

plan::PlanFacts the_same() {
  plan::PlanFacts facts;
  facts.source.digest = "source";
  facts.toolchain = "12.2.0";
  return facts;
}

TEST_CASE("a machine that matches the run has no differences") {
  CHECK(differences(example(), the_same()).empty());
}

TEST_CASE("a different source, matrix and compiler are each reported") {
  FromRun run = example();
  run.matrix_digest = "another";
  plan::PlanFacts here = the_same();
  here.source.digest = "another";
  here.toolchain = "13.1.0";
  const std::vector<Error> errors = differences(run, here);
  REQUIRE(errors.size() == 3);
  CHECK(errors[0].message == "the package source differs from that of the run");
  CHECK(errors[1].message == "the matrix file differs from that of the run");
  CHECK(errors[2].message == "the run's compiler was `12.2.0`, but this machine's is `13.1.0`");
  run.origin.dirty = true;
  CHECK(differences(run, here)[0].message == "the run's checkout had uncommitted changes");
}

TEST_CASE("in a container the machine's compiler does not matter") {
  FromRun run = example();
  run.origin.plan.levels.engine = container::Engine::docker;
  plan::PlanFacts here = the_same();
  here.toolchain = "13.1.0";
  CHECK(differences(run, here).empty());
}

/// A run on this machine of a checkout with one file, and its repetition.
struct RepeatWorld {
  Scratch scratch = {};
  fakes::FakeHost fake{scratch.path()};
  fakes::FakePip pip{fake};
  plan::RunOrigin origin = {};
  GlobalOptions global = {};
  LevelOptions levels = {};

  RepeatWorld() {
    scratch.write("a.py", "one");
    fake.git.tracked.tracked = {"a.py"};
    fake.git.known = checkout_facts();
    fake.git.known->root = scratch.path();
    fake.files.put("m.yaml", kPlainYaml);
    add_python(fake, "3.11.7");
    origin.matrix = "m.yaml";
    origin.commit = std::string(40, 'a');
    origin.plan.machine = host::machine_name();
    origin.plan.variants = {"cp311", "cp312"};
    origin.plan.version = {"1.0", ""};
    origin.plan.source_date_epoch = 77;
    origin.plan.wheel_change = {"frozen", 5};
    origin.plan.levels.python = env::PythonSource::venv;
    global.state_dir = "again";
  }

  Result<RecordedSource> source(SourceOf of) {
    return recorded_source(fake.host, origin, of, scratch.path() / "place",
                           {fake.files, fake.process, fake.host.variables});
  }
  Result<PreparedRun> repeat(const std::string& step) {
    return prepare_recorded_run(fake.host, global, "m.yaml", {origin, step, levels}, fake.notices);
  }
  Error refused(const std::string& step) {
    const Result<PreparedRun> run = repeat(step);
    REQUIRE_FALSE(run);
    return run.error();
  }
};

TEST_CASE("the source of a run is its commit, or this checkout") {
  RepeatWorld world;
  const auto here = world.source(SourceOf::this_checkout);
  REQUIRE(here);
  CHECK(here->matrix == (world.scratch.path() / "m.yaml").string());
  CHECK_FALSE(here->worktree);
  CHECK(world.fake.process.started.empty());
  const auto commit = world.source(SourceOf::recorded_commit);
  REQUIRE_FALSE(commit);
  CHECK(world.fake.process.started.front() == "git");
  world.fake.git.known = fail(ErrorKind::environment, "no repository");
  CHECK(world.source(SourceOf::this_checkout).error().message == "no repository");
}

TEST_CASE("a run outside git is repeated where its matrix is") {
  RepeatWorld world;
  world.origin.commit.clear();
  world.origin.matrix = "matrix/m.yaml";
  const auto source = world.source(SourceOf::recorded_commit);
  REQUIRE(source);
  CHECK(source->matrix == "matrix/m.yaml");
  CHECK(world.fake.git.asked == 0);
}

TEST_CASE("a report names no matrix outside the repository") {
  RepeatWorld world;
  for (const char* const path : {"", "/etc/m.yaml", "../m.yaml", "a/../../m.yaml"}) {
    CAPTURE(path);
    world.origin.matrix = path;
    const auto source = world.source(SourceOf::this_checkout);
    REQUIRE_FALSE(source);
    CHECK(source.error().kind == ErrorKind::config);
  }
  CHECK(world.fake.git.asked == 0);
}

TEST_CASE("a build is repeated with the version and the date of its run") {
  RepeatWorld world;
  const Result<PreparedRun> run = world.repeat("build:cp311");
  INFO((run ? std::string() : render(run.error())));
  REQUIRE(run);
  CHECK(run->gathered.scope.options.stage == plan::Stage::build);
  CHECK(run->gathered.scope.outline.variants.size() == 1);
  CHECK(run->gathered.facts.version.version == "1.0");
  CHECK(run->gathered.facts.source_date_epoch == 77);
  CHECK(run->gathered.facts.wheel_change == plan::SourceChange{"frozen", 5});
  CHECK(run->gathered.workplace.state == world.scratch.path() / "again");
  CHECK(world.fake.git.asked == 0);
}

TEST_CASE("a test is repeated up to the tests, on an image with that image") {
  RepeatWorld world;
  const Result<PreparedRun> run = world.repeat("test:cp311");
  REQUIRE(run);
  CHECK(run->gathered.scope.options.stage == plan::Stage::test);
  CHECK(run->gathered.scope.images == TestImageUse::leave);
}

TEST_CASE("a run of another architecture is refused before the matrix is read") {
  RepeatWorld world;
  world.origin.plan.machine = "riscv64";
  const Error error = world.refused("build:cp311");
  CHECK(error.kind == ErrorKind::environment);
  CHECK(error.message == "the run was on riscv64, but this machine is " + host::machine_name());
  CHECK(world.fake.files.reads.empty());
}

TEST_CASE("a step that the matrix does not have and other levels are refused") {
  RepeatWorld world;
  const Error unknown = world.refused("build:cp310");
  CHECK(unknown.kind == ErrorKind::config);
  CHECK(unknown.message == "`m.yaml` has no step `build:cp310`");
  CHECK(unknown.hint == "the matrix differs from that of the run");
  world.levels.python = env::PythonSource::conda;
  const Error levels = world.refused("build:cp311");
  CHECK(levels.kind == ErrorKind::usage);
  CHECK(levels.message == "`--python` contradicts the plan, which was frozen with `--python venv`");
  CHECK(world.fake.files.changes.empty());
}

}  // namespace
}  // namespace pinwheel::prepare
