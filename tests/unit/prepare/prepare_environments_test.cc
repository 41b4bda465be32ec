#include "prepare/prepare_environments.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "env/resolution.h"
#include "fakes/fake_engine.h"
#include "fakes/fake_pip.h"
#include "unit/prepare/matrix_world.h"

namespace pinwheel::prepare {
namespace {

using Texts = std::vector<std::string>;

const std::string kNumpyYaml = std::string(kPlainYaml) + "environment: {pip: [numpy]}\n";
const std::string kNumpyImageYaml =
    std::string(kPlainYaml) + "environment: {pip: [numpy], container: {base: \"debian:12\"}}\n";

/// A run on a machine with Pythons, a pip and a container engine.
struct EnvironmentWorld {
  fakes::FakeHost fake;
  fakes::FakePip pip{fake};
  fakes::FakeEngine engine{fake};
  RunScope scope = {};
  host::Workplace workplace = {};
  plan::PlanFacts facts = {};

  explicit EnvironmentWorld(container::Engine level = container::Engine::host) {
    add_python(fake, "3.11.7");
    add_python(fake, "3.12.1");
    fake.host.variables["PATH"] = "/fake/bin:/usr/bin";
    LevelOptions levels;
    levels.engine = level;
    levels.python = env::PythonSource::venv;
    const bool contained = container::uses_containers(level);
    scope = whole_scope(fake, contained ? kNumpyImageYaml : kNumpyYaml, levels);
    workplace.engine = level;
    workplace.state = "/repo/.pinwheel";
    workplace.cache = "/cache";
    workplace.variables = fake.host.variables;
    facts.source.digest = "source";
    facts.toolchain = "12.2.0";
  }

  RunView view() const { return {fake.host, scope, workplace, facts}; }
  PreparedEnvironments prepared(const PackageSource& source) {
    Result<PreparedEnvironments> made = prepare_environments(view(), source, fake.notices);
    INFO((made ? std::string() : render(made.error())));
    REQUIRE(made);
    return *std::move(made);
  }
  Error refused(const PackageSource& source) {
    const Result<PreparedEnvironments> made = prepare_environments(view(), source, fake.notices);
    REQUIRE_FALSE(made);
    return made.error();
  }
  /// A plan that has numpy 1.0 for every environment, of another patch release of Python.
  plan::FrozenPlan plan() const {
    plan::FrozenPlan frozen;
    frozen.source_digest = "source";
    const auto requests = environment_requests(view());
    REQUIRE(requests);
    for (const env::Request& request : *requests) {
      env::Resolution resolution;
      resolution.request = env::digest(request);
      resolution.python = request.python + ".99";
      resolution.packages = {{"numpy", "1.0", "numpy-1.0-py3-none-any.whl", "aa"}};
      frozen.resolutions[env::digest(request)] = env::to_json(resolution);
    }
    return frozen;
  }
  bool has_records() const {
    return std::ranges::any_of(fake.files.changes, [](const std::string& change) {
      return change.find("/resolutions/") != std::string::npos;
    });
  }
};

TEST_CASE("packages from the indexes are facts of the plan") {
  EnvironmentWorld world;
  const PreparedEnvironments made = world.prepared(FromIndexes{});
  CHECK(made.facts.resolutions.size() == 4);
  CHECK(made.facts.source.digest == "source");
  CHECK(made.recorded.empty());
  CHECK(made.locks.empty());
  CHECK(made.images.empty());
  CHECK_FALSE(made.workplace.stop.stop_possible());
  CHECK(world.pip.asked.size() == 2);
  CHECK(world.engine.changes.empty());
}

TEST_CASE("an index that fails is the error of the preparation") {
  EnvironmentWorld world;
  world.pip.refusal = "ERROR: No matching distribution found for numpy\n";
  CHECK(world.refused(FromIndexes{}).kind == ErrorKind::config);
  CHECK(world.refused(FromLocks{}).kind == ErrorKind::config);
}

TEST_CASE("locks that are out of date end the preparation before an index is asked") {
  EnvironmentWorld world;
  world.fake.files.make("m.locks");
  CHECK(world.refused(FromLocks{}).kind == ErrorKind::drift);
  CHECK(world.pip.asked.empty());
  CHECK(world.refused(FromLocks{Refresh::yes}).kind == ErrorKind::usage);
  CHECK(world.prepared(FromIndexes{}).facts.resolutions.size() == 4);
}

TEST_CASE("`env lock` gets the state of each lock with the packages") {
  EnvironmentWorld world;
  const Loaded& loaded = world.scope.loaded;
  ForLocks what{"m.locks", plan::lock_targets(loaded.matrix, loaded.expansion, loaded.classes,
                                              world.scope.options)};
  const PreparedEnvironments made = world.prepared(what);
  REQUIRE(made.locks.size() == 2);
  CHECK(made.locks.front().state == LockState::missing);
  CHECK(made.facts.resolutions.size() == 4);
}

TEST_CASE("a forecast has the recorded facts, and starts no program") {
  EnvironmentWorld world;
  const PreparedEnvironments nothing = world.prepared(FromRecord{});
  CHECK(nothing.recorded.size() == 4);
  CHECK(nothing.facts.resolutions.empty());
  CHECK(world.fake.process.started.empty());
  const PreparedEnvironments made = world.prepared(FromIndexes{});
  world.fake.process.started.clear();
  CHECK(world.prepared(FromRecord{}).facts.resolutions == made.facts.resolutions);
  CHECK(world.fake.process.started.empty());
}

TEST_CASE("the packages of a frozen plan count for its run alone") {
  EnvironmentWorld world;
  const plan::FrozenPlan frozen = world.plan();
  const PreparedEnvironments made = world.prepared(FromFrozenPlan{frozen, "digest"});
  CHECK(made.facts.resolutions.size() == 4);
  REQUIRE(made.workplace.given);
  for (const auto& [request, digest] : made.facts.resolutions) {
    const auto given = env::parse_resolution(made.workplace.given->at(request));
    REQUIRE(given);
    CHECK(given->digest() == digest);
    CHECK(given->python.ends_with(".99"));
    CHECK(given->find("numpy")->version == "1.0");
  }
  CHECK(world.pip.asked.empty());
  CHECK_FALSE(world.has_records());
  CHECK(world.fake.notices.warnings.empty());
}

TEST_CASE("packages of a frozen plan that cannot be read are an error") {
  EnvironmentWorld world;
  plan::FrozenPlan frozen = world.plan();
  frozen.resolutions.begin()->second = "{}";
  CHECK(world.refused(FromFrozenPlan{frozen, "digest"}).kind == ErrorKind::environment);
  CHECK(world.pip.asked.empty());
}

TEST_CASE("a run is repeated with its packages on the Python of this machine") {
  EnvironmentWorld world;
  plan::RunOrigin origin;
  origin.plan = world.plan();
  origin.plan.matrix_digest = "matrix";
  origin.toolchain = "12.2.0";
  const PreparedEnvironments made = world.prepared(FromRun{origin, "matrix"});
  CHECK(std::ranges::count(world.fake.notices.warnings,
                           "the run had Python 3.11.99, but this machine has 3.11.7") == 2);
  CHECK(world.fake.notices.warnings.size() == 4);
  for (const auto& [request, text] : *made.workplace.given) {
    CHECK_FALSE(env::parse_resolution(text)->python.ends_with(".99"));
  }
  CHECK(world.pip.asked.empty());
}

TEST_CASE("differences from a run to repeat are warnings") {
  EnvironmentWorld world;
  plan::RunOrigin origin;
  origin.plan.source_digest = "another";
  origin.plan.matrix_digest = "matrix";
  origin.toolchain = "12.2.0";
  static_cast<void>(world.prepared(FromRun{origin, "matrix"}));
  CHECK(world.fake.notices.warnings == Texts{"the package source differs from that of the run"});
}

TEST_CASE("a Python that a run to repeat had and this machine lacks is an error") {
  EnvironmentWorld world;
  plan::RunOrigin origin;
  origin.plan = world.plan();
  CHECK(world.fake.files.remove_all("/usr/bin"));
  CHECK(world.refused(FromRun{origin, ""}).kind == ErrorKind::environment);
}

TEST_CASE("images come before packages, and one that fails ends the preparation") {
  EnvironmentWorld world(container::Engine::docker);
  CHECK(world.refused(FromIndexes{}).message.find("cannot be pulled") != std::string::npos);
  world.engine.answers = false;
  CHECK(world.refused(FromRecord{}).message.find("does not respond") != std::string::npos);
  CHECK(world.pip.asked.empty());
}

TEST_CASE("the images of a frozen plan have to be the same, those of a run are compared") {
  EnvironmentWorld world(container::Engine::docker);
  const std::string id = world.engine.add("debian:12");
  plan::FrozenPlan frozen = world.plan();
  const PreparedEnvironments made = world.prepared(FromFrozenPlan{frozen, "digest"});
  REQUIRE(made.images.size() == 1);
  const std::string settings = made.images.begin()->first;
  CHECK(made.facts.images.at(settings) == id);
  CHECK(made.workplace.containers.client == fakes::FakeEngine::kClient);
  frozen.images[settings] = {"debian:12", id, {}, id};
  CHECK(world.prepared(FromFrozenPlan{frozen, "digest"}).facts.resolutions.size() == 4);
  frozen.images[settings] = {"debian:12", "sha256:another", {}, "another key"};
  const Error error = world.refused(FromFrozenPlan{frozen, "digest"});
  CHECK(error.kind == ErrorKind::drift);
  CHECK(error.message.find("debian:12") != std::string::npos);
  plan::RunOrigin origin;
  origin.plan = std::move(frozen);
  static_cast<void>(world.prepared(FromRun{origin, ""}));
  CHECK(world.fake.notices.warnings.back() == error.message);
}

TEST_CASE("images of a plan that a run does not make are still facts of its keys") {
  EnvironmentWorld world;
  plan::FrozenPlan frozen = world.plan();
  frozen.images["settings"] = {"debian:12", "sha256:1", {}, "key", "3.13.1t", "cpython"};
  const PreparedEnvironments made = world.prepared(FromFrozenPlan{frozen, "digest"});
  CHECK(made.images.empty());
  CHECK(made.facts.images.at("settings") == "key");
  CHECK(made.facts.image_pythons.at("settings").free_threaded);
  CHECK(made.facts.image_pythons.at("settings").version == "3.13.1");
}

}  // namespace
}  // namespace pinwheel::prepare
