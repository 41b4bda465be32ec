#include "prepare/packages.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/text.h"
#include "env/resolution.h"
#include "fakes/fake_pip.h"
#include "unit/prepare/matrix_world.h"

namespace pinwheel::prepare {
namespace {

using Texts = std::vector<std::string>;

const std::string kPipYaml = std::string(kPlainYaml) + "environment: {pip: [numpy]}\n";

/// A run on a machine with Pythons and a pip.
struct PackageWorld {
  fakes::FakeHost fake;
  fakes::FakePip pip{fake};
  RunScope scope = {};
  host::Workplace workplace = {};
  plan::PlanFacts facts = {};

  explicit PackageWorld(const std::string& yaml = kPipYaml) {
    add_python(fake, "3.11.7");
    add_python(fake, "3.12.1");
    scope = whole_scope(fake, yaml);
    workplace.state = "/repo/.pinwheel";
    workplace.cache = "/cache";
    workplace.variables = fake.host.variables;
  }
  RunView view() const { return {fake.host, scope, workplace, facts}; }
  std::vector<env::Request> requests() const {
    const auto requests = environment_requests(view());
    REQUIRE(requests);
    return *requests;
  }
  std::string record(const env::Request& request) const {
    return "/repo/.pinwheel/resolutions/" + env::digest(request) + ".json";
  }
  Packages resolved(const Decided& decided = {}, Refresh refresh = Refresh::no) {
    Result<Packages> packages = resolve_packages(view(), decided, refresh, fake.notices);
    INFO((packages ? std::string() : render(packages.error())));
    REQUIRE(packages);
    return *std::move(packages);
  }
  Error refused() {
    const Result<Packages> packages = resolve_packages(view(), {}, Refresh::no, fake.notices);
    REQUIRE_FALSE(packages);
    return packages.error();
  }
};

TEST_CASE("packages without a record are resolved, and recorded by their request") {
  PackageWorld world;
  const Packages packages = world.resolved();
  CHECK(packages.toolkits.empty());
  for (const env::Request& request : world.requests()) {
    const Result<env::Resolution> recorded =
        env::parse_resolution(world.fake.files.text(world.record(request)));
    REQUIRE(recorded);
    CHECK(packages.resolutions.at(env::digest(request)) == recorded->digest());
  }
  // The environments of tests have no packages to resolve.
  CHECK(packages.resolutions.size() == 4);
  CHECK(world.pip.asked == Texts(2, "numpy"));
  CHECK(std::ranges::count(world.fake.notices.notes, "resolving Python 3.11\n") > 0);
}

TEST_CASE("recorded packages are used until they are to be refreshed") {
  PackageWorld world;
  const Packages first = world.resolved();
  const size_t asked = world.pip.asked.size();
  world.fake.notices.notes.clear();
  world.pip.packages["numpy"] = "2.1.0";
  CHECK(world.resolved().resolutions == first.resolutions);
  CHECK(world.pip.asked.size() == asked);
  CHECK(world.fake.notices.notes.empty());
  const Packages fresh = world.resolved({}, Refresh::yes);
  CHECK(fresh.resolutions != first.resolutions);
  CHECK(world.pip.asked.size() == 2 * asked);
  CHECK(world.fake.notices.notes.size() == asked);
}

TEST_CASE("a package that no index has ends the resolution, and nothing is recorded") {
  PackageWorld world;
  world.pip.refusal = "ERROR: No matching distribution found for numpy\n";
  CHECK(world.refused().kind == ErrorKind::config);
  CHECK(world.pip.asked.size() == 1);
  CHECK(world.fake.files.text(world.record(world.requests().front())).empty());
}

TEST_CASE("a record that cannot be written ends the resolution of the packages after it") {
  PackageWorld world;
  world.fake.files.refused = "write /repo/.pinwheel/resolutions/";
  CHECK(world.refused().message.starts_with("refused: write /repo/.pinwheel/resolutions/"));
  CHECK(world.pip.asked.size() == 1);
}

TEST_CASE("a Python that is not here is an error before a package is resolved") {
  PackageWorld world;
  CHECK(world.fake.files.remove_all("/usr/bin"));
  CHECK(world.refused().kind == ErrorKind::environment);
  CHECK(world.pip.asked.empty());
}

TEST_CASE("packages that are decided are not resolved, also with a refresh") {
  PackageWorld world;
  world.resolved();
  const size_t asked = world.pip.asked.size();
  Decided decided;
  for (const env::Request& request : world.requests()) decided.insert(env::digest(request));
  world.pip.packages["numpy"] = "2.1.0";
  const Packages packages = world.resolved(decided, Refresh::yes);
  CHECK(packages.resolutions.size() == decided.size());
  CHECK(world.pip.asked.size() == asked);
  CHECK(world.fake.files.remove_all("/repo/.pinwheel"));
  const Result<Packages> gone =
      resolve_packages(world.view(), decided, Refresh::no, world.fake.notices);
  REQUIRE_FALSE(gone);
  CHECK(gone.error().kind == ErrorKind::environment);
}

TEST_CASE("the packages of steps that a run does not execute are not resolved") {
  PackageWorld world;
  const std::string only = env::digest(world.requests().front());
  world.scope.executed = ExecutedPart{{}, {}, {only}};
  const Packages packages = world.resolved();
  REQUIRE(packages.resolutions.size() == 1);
  CHECK(packages.resolutions.begin()->first == only);
}

TEST_CASE("an upgrade keeps the versions of the other packages") {
  PackageWorld world;
  world.pip.packages = {{"numpy", "2.0.0"}, {"ninja", "1.11.1"}};
  world.resolved();
  const env::Request request = world.requests().front();
  const env::Resolution before =
      *env::parse_resolution(world.fake.files.text(world.record(request)));
  world.pip.packages["numpy"] = "2.1.0";
  const auto now =
      upgrade_packages(world.fake.host, world.workplace, request,
                       {before, {*pep::parse_requirement("numpy")}}, world.fake.notices);
  REQUIRE(now);
  CHECK(now->find("numpy")->version == "2.1.0");
  REQUIRE(world.pip.constraints.size() == 1);
  CHECK(world.pip.constraints.front().find("ninja==1.11.1") != std::string::npos);
  CHECK(world.pip.constraints.front().find("numpy") == std::string::npos);
  CHECK(world.fake.files.text(world.record(request)) == env::to_json(*now));
}

TEST_CASE("a forecast has the recorded packages and their age, and resolves none") {
  PackageWorld world;
  const auto nothing = recall_packages(world.view());
  REQUIRE(nothing);
  CHECK(nothing->packages.resolutions.empty());
  REQUIRE(nothing->environments.size() == 4);
  CHECK(std::ranges::count(nothing->environments, "Python 3.11",
                           &RecordedResolution::environment) == 2);
  CHECK_FALSE(nothing->environments.front().age);
  const Packages packages = world.resolved();
  const size_t asked = world.pip.asked.size();
  const auto recalled = recall_packages(world.view());
  REQUIRE(recalled);
  CHECK(recalled->packages.resolutions == packages.resolutions);
  CHECK(recalled->environments.front().age == std::chrono::seconds(0));
  CHECK(recalled->errors.empty());
  CHECK(world.pip.asked.size() == asked);
}

/// The only toolkit among the packages.
plan::ToolkitFact toolkit_of_build(const Packages& packages) {
  REQUIRE(packages.toolkits.size() == 1);
  return packages.toolkits.begin()->second;
}

TEST_CASE("a build uses the toolkit of the machine, if it has one") {
  PackageWorld world(kCudaYaml);
  add_cuda(world.fake);
  world.workplace.variables = world.fake.host.variables;
  const Packages packages = world.resolved();
  CHECK(toolkit_of_build(packages).exact == "13.0.88");
  CHECK(toolkit_of_build(packages).origin == plan::ToolkitOrigin::found);
  CHECK(world.pip.asked == Texts{"numpy"});
}

TEST_CASE("without a toolkit on the machine its packages are resolved, and recorded") {
  PackageWorld world(kCudaYaml);
  world.pip.packages["nvidia-cuda-nvcc"] = "13.0.88";
  const Packages packages = world.resolved();
  CHECK(toolkit_of_build(packages).origin == plan::ToolkitOrigin::made);
  CHECK(toolkit_of_build(packages).exact.starts_with("cuda-"));
  REQUIRE_FALSE(world.fake.notices.notes.empty());
  CHECK(world.fake.notices.notes.front() == "resolving the toolkit cuda/13.0 from PyPI\n");
  CHECK(world.pip.asked.size() == 2);
  world.fake.notices.notes.clear();
  CHECK(world.resolved().toolkits.size() == 1);
  CHECK(world.pip.asked.size() == 2);
  CHECK(world.fake.notices.notes.empty());
  const auto recalled = recall_packages(world.view());
  REQUIRE(recalled);
  CHECK(toolkit_of_build(recalled->packages).exact == toolkit_of_build(packages).exact);
}

TEST_CASE("a toolkit that nothing provides stops its build alone, unless the matrix names PyPI") {
  PackageWorld world(kCudaYaml);
  world.pip.refusal = "ERROR: No matching distribution found for cuda-toolkit\n";
  world.pip.refused = "cuda-toolkit";
  const Packages packages = world.resolved();
  CHECK(packages.toolkits.empty());
  CHECK(packages.resolutions.size() == 2);
  CHECK(world.fake.notices.warnings.size() == 1);
  PackageWorld named(replace_all(kCudaYaml, "[numpy]", "[numpy], toolkit: pypi"));
  named.pip.refusal = world.pip.refusal;
  named.pip.refused = world.pip.refused;
  CHECK(named.refused().kind == ErrorKind::config);
  CHECK(named.fake.notices.warnings.empty());
}

TEST_CASE("the toolkit of a build that a run does not execute is not looked up") {
  PackageWorld world(kCudaYaml);
  world.scope.executed = ExecutedPart{};
  const Packages packages = world.resolved();
  CHECK(packages.toolkits.empty());
  CHECK(world.fake.process.started.empty());
}

}  // namespace
}  // namespace pinwheel::prepare
