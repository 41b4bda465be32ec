#include "session/release_status.h"

#include <memory>
#include <string>
#include <vector>

#include "plan/step_id.h"
#include "publish/endpoints.h"
#include "session/release_records.h"
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
  world.request.workplace.matrix_directory = "/repo";
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
                           {world.host, world.request.workplace, {}});
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

TEST_CASE("all sub-indexes that list the wheels of a build are read") {
  Release release;
  auto& wheels = std::get<plan::Publish>(release.plan.steps[5].action);
  wheels.also_listed = {{"build:a", {"cu130"}}};
  release.plan.steps.erase(release.plan.steps.begin() + 4);
  RunWorld world;
  world.request.workplace.matrix_directory = "/repo";
  const std::string name = "demo_ops-1.0+cpu-cp311-cp311-linux_x86_64.whl";
  world.fake.files.put("/repo/index/cu130/demo-ops/index.json", page_text(name, "bb"));
  const publish::ReleaseStatus status =
      compare_release(release.plan, expected_files(release.plan, release.outcomes),
                      {world.host, world.request.workplace, {}});
  REQUIRE(status.files.size() == 1);
  CHECK(status.files[0].state == publish::FileState::published);
  CHECK(status.unreadable.empty());
}

TEST_CASE("the record of a release has the files of its finished publications") {
  Release release;
  release.outcomes.push_back(
      made("build:b", {{"dist/demo_ops-1.0-cp312-cp312-linux_x86_64.whl", "dd", 4}}));
  release.outcomes.push_back(made("publish:pypi", {}));
  plan::StepOutcome failed = made("publish:wheels", {});
  failed.state = plan::StepState::failed;
  release.outcomes.push_back(failed);
  const auto records = release_records(release.plan, release.outcomes, {"demo-ops", "v1.0", "ab"});
  REQUIRE(records.size() == 1);
  const publish::ReleaseRecord& record = records.at("pinwheel-release.json");
  CHECK(record.tag == "v1.0");
  REQUIRE(record.files.size() == 3);
  CHECK(record.files[1] ==
        publish::RecordedFile{"demo_ops-1.0-cp312-cp312-linux_x86_64.whl", 4, "dd"});
  CHECK(record.files[2].filename == "demo_ops-1.0.tar.gz");

  release.outcomes.back().state = plan::StepState::reused;
  CHECK(release_records(release.plan, release.outcomes, {"demo-ops"}).size() == 2);
}

TEST_CASE("a release on GitHub has the files of all projects, and two that describe them") {
  Release release;
  auto& github = std::get<plan::Publish>(release.plan.steps[4].action);
  github.target.kind = matrix::TargetKind::github_release;
  github.target.name = "github";
  github.target.repository = "acme/ops";
  github.names["build:b"].distribution = "demo-ops-cuda";
  github.release = {"demo-ops", "1.0", "v1.0", std::string(40, 'c')};
  release.plan.steps.pop_back();
  auto files = expected_files(release.plan, release.outcomes);
  REQUIRE(files.size() == 5);
  CHECK(files[3].filename.empty());
  CHECK(files[4].filename.empty());
  CHECK(files[3].build == "publish:github");
  release.outcomes.push_back(
      made("build:b", {{"dist/demo_ops_cuda-1.0-cp311-cp311-linux_x86_64.whl", "dd", 1}}));
  files = expected_files(release.plan, release.outcomes);
  CHECK(files[3].filename == "SHA256SUMS");
  CHECK(files[4].filename == "pinwheel-release-demo-ops-cuda.json");
  CHECK(files[5].filename == "pinwheel-release.json");

  RunWorld world;
  const auto http = std::make_shared<ScriptedHttp>();
  world.host.http = [&](const host::HttpOptions&, const ports::LogHandle&, const std::stop_token&) {
    return http;
  };
  const std::string api = "https://api.github.com/repos/acme/ops/";
  http->replies[api + "releases/tags/v1.0"] = {
      200, "OK", {}, R"({"id": 7, "tag_name": "v1.0", "draft": false, "upload_url": "u"})"};
  const std::string sha256(64, 'a');
  http->replies[api + "releases/7/assets?per_page=100&page=1"] = {
      200,
      "OK",
      {},
      R"([{"id": 1, "name": "demo_ops-1.0.tar.gz", "size": 1, "state": "uploaded", "digest":
          "sha256:)" +
          sha256 + "\"}]"};
  const auto compare = [&] {
    return compare_release(release.plan, files, {world.host, world.request.workplace, {}});
  };
  publish::ReleaseStatus status = compare();
  REQUIRE(status.files.size() == 6);
  CHECK(status.files[0].state == publish::FileState::missing);
  CHECK(status.files[2].state == publish::FileState::different);
  CHECK(status.unplanned.empty());
  // The question needs no token, and each part of it is asked once.
  CHECK(http->urls().size() == 3);
  for (const ports::HttpRequest& request : http->asked) {
    for (const auto& [name, value] : request.headers) CHECK(name != "Authorization");
  }
  http->replies[api + "git/ref/tags/v1.0"] = {
      200, "OK", {}, R"({"object": {"type": "commit", "sha": ")" + std::string(40, 'd') + "\"}}"};
  status = compare();
  // The files are known all the same.
  CHECK(status.unreadable.empty());
  REQUIRE(status.conflicts.size() == 1);
  CHECK(status.conflicts[0].kind == ErrorKind::publish);
  CHECK(status.files[2].state == publish::FileState::different);
}

}  // namespace
}  // namespace pinwheel::session
