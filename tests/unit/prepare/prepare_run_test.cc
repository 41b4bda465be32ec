#include "prepare/prepare_run.h"

#include <string>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "env/resolution.h"
#include "fakes/fake_host.h"
#include "prepare/packages.h"
#include "prepare/read_scope.h"
#include "unit/catch.h"
#include "unit/host/scratch.h"

namespace pinwheel::prepare {
namespace {

using Texts = std::vector<std::string>;

constexpr const char* kProjectYaml = R"(
schema: pinwheel/1
package: {name: demo, source: .}
axes:
  python: ["3.11", "3.12"]
abi: {python: version}
environment:
  conda: {channels: [conda-forge], packages: ["python={python}"]}
build:
  command: [python, -m, build, "{package}"]
)";

constexpr const char* kProject = R"(
[project]
name = "demo"
dynamic = ["version"]
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"
)";

/// A project of one file in a checkout, and a scope of all of its matrix.
struct ProjectWorld {
  Scratch scratch = {};
  fakes::FakeHost fake{scratch.path()};
  RunScope scope = {};

  ProjectWorld() {
    scratch.write("a.py", "one");
    fake.git.tracked.tracked = {"a.py"};
    fake.files.put("a.py", "one");
    fake.files.put("pyproject.toml", kProject);
    fake.files.put("m.yaml", kProjectYaml);
    read();
  }

  void read() {
    Result<Loaded> loaded = load_matrix(fake.files, "m.yaml", fake.notices, Warnings::print);
    INFO((loaded ? std::string() : render(loaded.error())));
    REQUIRE(loaded);
    RunScope fresh{{}, *std::move(loaded), {}, {}};
    fresh.outline = *select_outline(fresh.loaded, {}, {}, "");
    fresh.levels.python = env::PythonSource::conda;
    fresh.version.version = {"1.0", ""};
    fresh.version.machine = "x86_64";
    Result<RunScope> whole = up_to(plan::Stage::test, std::move(fresh));
    REQUIRE(whole);
    scope = *std::move(whole);
  }

  std::string at(const std::string& name) const { return (scratch.path() / name).string(); }

  /// Records packages for every environment of builds that require this in addition to the files.
  void resolve(const Texts& required) {
    RunScope known = scope;
    known.loaded.matrix.build_requires[known.loaded.matrix.package.name] = required;
    const host::Workplace workplace;
    const plan::PlanFacts facts;
    const Result<std::vector<env::Request>> requests =
        environment_requests({fake.host, known, workplace, facts});
    REQUIRE(requests);
    for (const env::Request& request : *requests) {
      env::Resolution resolution;
      resolution.request = env::digest(request);
      resolution.python = request.python + ".1";
      fake.files.put(at(".pinwheel/resolutions/" + env::digest(request) + ".json"),
                     env::to_json(resolution));
    }
  }

  Result<PreparedRun> run(const PackageSource& source) {
    return prepare_run(fake.host, scope, source, fake.notices);
  }
  PreparedRun prepared(const PackageSource& source) {
    Result<PreparedRun> prepared = run(source);
    INFO((prepared ? std::string() : render(prepared.error())));
    REQUIRE(prepared);
    return *std::move(prepared);
  }
  Error refused(const PackageSource& source) {
    const Result<PreparedRun> prepared = run(source);
    REQUIRE_FALSE(prepared);
    return prepared.error();
  }
};

Texts ids_of(const plan::Plan& plan) {
  Texts ids;
  for (const plan::Step& step : plan.steps) {
    if (step.id.starts_with("build:") || step.id.starts_with("test:")) ids.push_back(step.id);
  }
  return ids;
}

TEST_CASE("a run has its source, its packages and the steps of its plan") {
  ProjectWorld world;
  world.resolve({"hatchling"});
  const PreparedRun run = world.prepared(FromIndexes{});
  CHECK(ids_of(run.plan).size() == 4);
  CHECK(run.gathered.facts.resolutions.size() == 4);
  CHECK_FALSE(run.gathered.facts.source.digest.empty());
  CHECK(run.gathered.scope.loaded.matrix.build_requires.begin()->second == Texts{"hatchling"});
  CHECK(run.gathered.workplace.state == world.at(".pinwheel"));
  CHECK(run.gathered.workplace.cache == "/home/u/.cache/pinwheel");
}

TEST_CASE("the state directory is made first, then the log is written into it") {
  ProjectWorld world;
  world.resolve({"hatchling"});
  static_cast<void>(world.prepared(FromIndexes{}));
  REQUIRE_FALSE(world.fake.files.changes.empty());
  CHECK(world.fake.notices.logs.size() == 1);
  CHECK(world.fake.notices.logs.front().starts_with(world.at(".pinwheel/logs/")));
  CHECK(world.fake.files.text(".pinwheel/.gitignore") == "*\n");
}

TEST_CASE("a state directory that cannot be made ends the preparation before the log") {
  ProjectWorld world;
  world.fake.files.refused = ".pinwheel";
  CHECK(world.refused(FromIndexes{}).message.starts_with("refused: "));
  CHECK(world.fake.notices.logs.empty());
  CHECK(world.fake.process.started.empty());
}

TEST_CASE("a log that cannot be written ends the preparation before the source is read") {
  ProjectWorld world;
  world.fake.notices.log_kept = fail(ErrorKind::environment, "the disk is full");
  world.fake.git.tracked.tracked.clear();
  CHECK(world.refused(FromIndexes{}).message == "the disk is full");
  CHECK(world.fake.process.started.empty());
}

TEST_CASE("without a home directory there is no cache") {
  ProjectWorld world;
  world.fake.host.variables.clear();
  CHECK(world.refused(FromIndexes{}).message == "there is no home directory for the cache");
  CHECK(world.fake.files.changes.empty());
}

TEST_CASE("a forecast writes no log, asks nothing and resolves nothing") {
  ProjectWorld world;
  const PreparedRun run = world.prepared(FromRecord{});
  CHECK(world.fake.notices.logs.empty());
  CHECK(world.fake.acts.empty());
  CHECK(run.gathered.facts.resolutions.empty());
  CHECK(run.gathered.recorded.size() == 4);
  CHECK(ids_of(run.plan).size() == 4);
}

TEST_CASE("variables of the user decide builds, unless a plan or a report has its own") {
  ProjectWorld world;
  world.resolve({"hatchling"});
  world.fake.host.variables["CFLAGS"] = "-O1";
  world.fake.host.variables["EDITOR"] = "vi";
  using Variables = std::map<std::string, std::string>;
  CHECK(world.prepared(FromIndexes{}).gathered.facts.variables == Variables{{"CFLAGS", "-O1"}});
  plan::RunOrigin origin;
  origin.variables = {{"CFLAGS", "-O2"}, {"LD_PRELOAD", "/evil.so"}};
  CHECK(world.prepared(FromRun{origin, "digest"}).gathered.facts.variables ==
        Variables{{"CFLAGS", "-O2"}});
}

TEST_CASE("a variable that no plan can contain is refused before a compiler is queried") {
  ProjectWorld world;
  world.fake.host.variables["CFLAGS"] = "-I\xff";
  CHECK(world.refused(FromIndexes{}).kind == ErrorKind::config);
  CHECK(world.fake.process.started.empty());
}

TEST_CASE("the compiler of the machine is a fact of its builds") {
  ProjectWorld world;
  world.resolve({"hatchling"});
  world.fake.process.run = [](const ports::Command& command) -> Result<ports::Captured> {
    if (command.argv.front() != "clang++") return fail(ErrorKind::environment, "no program");
    return ports::Captured{{}, "14.0\nx86_64\n", ""};
  };
  world.fake.host.variables["CXX"] = "clang++";
  CHECK(world.prepared(FromIndexes{}).gathered.facts.toolchain == "14.0 x86_64 ");
}

TEST_CASE("a frozen plan of another matrix is drift, before anything is resolved") {
  ProjectWorld world;
  plan::FrozenPlan frozen;
  frozen.matrix_digest = "another";
  const Error refused = world.refused(FromFrozenPlan{frozen, world.scope.loaded.digest()});
  CHECK(refused.kind == ErrorKind::drift);
  CHECK(world.fake.acts.empty());
}

TEST_CASE("requirements that contradict the matrix end the preparation before a backend is asked") {
  ProjectWorld world;
  world.fake.files.put("pyproject.toml",
                       "[build-system]\nrequires = [\"setuptools\", \"torch\"]\n"
                       "build-backend = \"setuptools.build_meta\"\n");
  const Error refused = world.refused(FromIndexes{});
  CHECK(refused.kind == ErrorKind::config);
  CHECK(refused.message == "the project requires torch to build, but `m.yaml` has no torch");
  CHECK(world.fake.acts.empty());
  // `plan` has reported it before a forecast.
  CHECK(world.run(FromRecord{}));
}

TEST_CASE(
    "device architectures of the user are ignored if the matrix has its own, with a warning") {
  ProjectWorld world;
  world.fake.files.put("m.yaml", std::string(kProjectYaml) + "  arch-list: [\"8.0\"]\n");
  world.read();
  world.resolve({"hatchling"});
  world.fake.host.variables["TORCH_CUDA_ARCH_LIST"] = "9.0";
  const PreparedRun run = world.prepared(FromIndexes{});
  CHECK(run.gathered.facts.variables.empty());
  REQUIRE_FALSE(world.fake.notices.notes.empty());
  CHECK(world.fake.notices.notes.front() ==
        "`TORCH_CUDA_ARCH_LIST` is ignored: the matrix has `build.arch-list`\n");
}

}  // namespace
}  // namespace pinwheel::prepare
