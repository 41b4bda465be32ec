#include "session/release_status.h"

#include <memory>
#include <string>
#include <vector>

#include "plan/step_id.h"
#include "unit/host/scripted_http.h"
#include "unit/session/run_world.h"

namespace pinwheel::session {
namespace {

using Texts = std::vector<std::string>;

constexpr const char* kJson = "application/vnd.pypi.simple.v1+json";

std::string page_text(const std::string& name, const std::string& sha256) {
  return R"({"meta": {"api-version": "1.1"}, "name": "demo-ops", "files": [{"filename": ")" + name +
         R"(", "url": "x", "hashes": {"sha256": ")" + sha256 + R"("}}]})";
}

plan::StepOutcome made(const std::string& step, const std::vector<plan::Output>& outputs) {
  plan::StepOutcome outcome;
  outcome.id = step;
  outcome.state = plan::StepState::done;
  outcome.outputs = outputs;
  return outcome;
}

/// Two builds and an sdist that go to PyPI and into a directory.
struct Release {
  plan::Plan plan;
  std::vector<plan::StepOutcome> outcomes = {};

  Release() {
    plan::Publish pypi;
    pypi.target.name = "pypi";
    pypi.target.kind = matrix::TargetKind::pypi;
    pypi.builds = {"build:a", "build:b", plan::sdist_id()};
    pypi.names = {{"build:a", {"Demo_Ops", "1.0"}}, {"build:b", {"demo-ops", "1.0"}}};
    plan::Publish wheels;
    wheels.target.name = "wheels";
    wheels.target.path = "index";
    wheels.builds = {"build:a"};
    wheels.names = {{"build:a", {"demo-ops", "1.0+cpu"}}};
    wheels.labels = {{"build:a", "cpu"}};
    plan::BuildSdist sdist;
    sdist.distribution = "demo_ops";
    sdist.version = "1.0";
    plan.steps = {
        {plan::sdist_id(), "s", sdist},       {"build:a", "a", plan::BuildWheel{}},
        {"build:b", "b", plan::BuildWheel{}}, {"test:a", "t", plan::TestWheel{}, {"build:a"}},
        {"publish:pypi", "p", pypi},          {"publish:wheels", "w", wheels}};
    outcomes = {made("build:a", {{"dist/demo_ops-1.0-cp311-cp311-linux_x86_64.whl", "aa", 1},
                                 {"dist/demo_ops-1.0+cpu-cp311-cp311-linux_x86_64.whl", "bb", 1}}),
                made(plan::sdist_id(), {{"dist/demo_ops-1.0.tar.gz", "cc", 1}})};
  }
};

TEST_CASE("the files of a target are those with its names, and those of no result have none") {
  const Release release;
  const auto files = expected_files(release.plan, release.outcomes);
  REQUIRE(files.size() == 4);
  CHECK(files[0].filename == "demo_ops-1.0-cp311-cp311-linux_x86_64.whl");
  CHECK(files[0].sha256 == "aa");
  CHECK(files[0].project == "demo-ops");
  CHECK(files[1].build == "build:b");
  CHECK(files[1].filename.empty());
  CHECK(files[2].filename == "demo_ops-1.0.tar.gz");
  CHECK(files[3].target == "wheels");
  CHECK(files[3].sha256 == "bb");
  CHECK(steps_without_result(release.plan, release.outcomes) == Texts{"build:b", "test:a"});
}

TEST_CASE("an sdist whose project has no wheel on a target is not expected there") {
  Release release;
  std::get<plan::BuildSdist>(release.plan.steps[0].action).distribution = "other";
  CHECK(expected_files(release.plan, release.outcomes).size() == 3);
}

TEST_CASE("each file is compared with the page of its target") {
  Release release;
  RunWorld world;
  const auto http = std::make_shared<ScriptedHttp>();
  http->replies[publish::project_url(publish::pypi(), "demo-ops")] = {
      200,
      "OK",
      {{"content-type", kJson}},
      page_text("demo_ops-1.0-cp311-cp311-linux_x86_64.whl", "ff")};
  world.host.http = [&](const host::HttpOptions&, const ports::LogHandle&, const std::stop_token&) {
    return http;
  };
  world.fake.files.put("/repo/index/cpu/demo-ops/index.json",
                       page_text("demo_ops-1.0+cpu-cp311-cp311-linux_x86_64.whl", "bb"));
  const auto compare = [&] {
    return compare_release(release.plan, expected_files(release.plan, release.outcomes),
                           {world.host, "/repo", {}, ports::no_log()});
  };
  const publish::ReleaseStatus status = compare();
  REQUIRE(status.files.size() == 4);
  CHECK(status.files[0].state == publish::FileState::different);
  CHECK(status.files[1].state == publish::FileState::not_built);
  CHECK(status.files[2].state == publish::FileState::missing);
  CHECK(status.files[3].state == publish::FileState::published);
  CHECK(status.unreadable.empty());

  http->replies.clear();
  http->failures[publish::project_url(publish::pypi(), "demo-ops")] = {
      Error{ErrorKind::transient, "no answer"}};
  world.fake.files.put("/repo/index/cpu/demo-ops/index.json", "no page");
  CHECK(compare().unreadable.size() == 2);
}

}  // namespace
}  // namespace pinwheel::session
