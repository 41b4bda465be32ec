#include "session/run_store.h"

#include <string>
#include <utility>
#include <vector>

#include "env/request.h"
#include "env/resolution.h"
#include "fakes/fake_host.h"
#include "unit/catch.h"
#include "unit/session/recording_console.h"

namespace pinwheel::session {
namespace {

using Texts = std::vector<std::string>;
using Places = std::vector<store::PlaceDescription>;

/// A run whose user and matrix name places.
struct StoreWorld {
  fakes::FakeHost fake;
  host::Workplace workplace = {};
  RecordingConsole console = {};
  prepare::RunStore own = {};
  Places of_matrix = {};

  StoreWorld() {
    workplace.cache = "/cache";
    workplace.variables = fake.host.variables;
  }
  void name(const prepare::StoreOptions& options) {
    Result<prepare::RunStore> store = prepare::read_run_store(options, fake.host);
    REQUIRE(store);
    own = *std::move(store);
  }
  Result<std::shared_ptr<host::Store>> open(StoreUse use) {
    return open_run_store(fake.files, {own, of_matrix, use}, workplace, console);
  }
};

TEST_CASE("a run without places has an empty store") {
  StoreWorld world;
  const auto store = world.open(StoreUse::write);
  REQUIRE(store);
  CHECK((*store)->empty());
  CHECK((*store)->domain() == store::Domain::branch);
  CHECK(world.fake.files.changes.empty());
  CHECK(world.console.warnings.empty());
}

TEST_CASE("the places of the user come before those of the matrix") {
  StoreWorld world;
  world.name({.places = {"dir:/out"}});
  world.of_matrix = Places{*store::parse_place("dir:/shared")};
  const auto store = world.open(StoreUse::read);
  REQUIRE(store);
  CHECK((*store)->queried_places() == Texts{"dir:/out", "dir:/shared"});
  CHECK(world.fake.files.changes.empty());
}

TEST_CASE("a directory for results is made, and git ignores it") {
  StoreWorld world;
  world.name({.places = {"dir:/out", "dir:/in,ro"}});
  world.of_matrix = Places{*store::parse_place("dir:/shared")};
  REQUIRE(world.open(StoreUse::write));
  CHECK(world.fake.files.text("/out/.gitignore") == "*\n");
  CHECK(world.fake.files.text("/in/.gitignore").empty());
  CHECK(world.fake.files.text("/shared/.gitignore").empty());
}

TEST_CASE("a directory that cannot be made is a fault of the place, which a run survives") {
  StoreWorld world;
  world.name({.places = {"dir:/out"}});
  world.fake.files.refused = "/.out.new";
  CHECK(world.open(StoreUse::write));
  CHECK(world.console.warnings.empty());
}

TEST_CASE("no results are stored for an event that may be a pull request, with a warning") {
  StoreWorld world;
  world.fake.host.variables["CI"] = "true";
  world.workplace.variables["CI"] = "true";
  world.name({.places = {"dir:/out"}});
  CHECK(world.own.writes == prepare::StoreWrites::no);
  REQUIRE(world.open(StoreUse::write));
  CHECK(world.fake.files.changes.empty());
  REQUIRE(world.console.warnings.size() == 1);
  CHECK(world.console.warnings.front().starts_with("no result is stored"));
  REQUIRE(world.open(StoreUse::read));
  CHECK(world.console.warnings.size() == 1);
}

TEST_CASE("a result has its commit, channel, Python and packages") {
  StoreWorld world;
  prepare::PreparedRun run;
  run.gathered.workplace.state = "/repo/.pinwheel";
  run.gathered.facts.commit = "c0ffee";
  run.gathered.scope.version.channel = "release";
  plan::BuildWheel build;
  build.environment.python = "3.11";
  plan::BuildWheel other;
  other.environment.python = "3.12";
  run.plan.steps = {{"build:x", "b", build}, {"build:y", "c", other}};
  env::Resolution resolution;
  resolution.request = env::digest(build.environment);
  resolution.python = "3.11.7";
  resolution.packages = {{"numpy", "2.0.0", "numpy-2.0.0.whl", "aa"}};
  world.fake.files.put(".pinwheel/resolutions/" + resolution.request + ".json",
                       env::to_json(resolution));
  const host::ResultFacts facts = result_facts(world.fake.host, run, "plan digest");
  CHECK(facts.plan == "plan digest");
  CHECK(facts.writer.commit == "c0ffee");
  CHECK(facts.writer.channel == "release");
  // A build whose packages are not recorded has no facts.
  CHECK(facts.pythons == std::map<std::string, std::string>{{"build:x", "3.11.7"}});
  CHECK(facts.packages.size() == 1);
}

}  // namespace
}  // namespace pinwheel::session
