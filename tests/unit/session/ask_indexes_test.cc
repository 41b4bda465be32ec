#include "session/ask_indexes.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "unit/host/scripted_http.h"
#include "unit/session/run_world.h"

namespace pinwheel::session {
namespace {

using Texts = std::vector<std::string>;

plan::Publish publication(const std::string& target, matrix::TargetKind kind) {
  plan::Publish action;
  action.target.name = target;
  action.target.kind = kind;
  action.target.url = "https://index.example.org/legacy/";
  action.builds = {"build:cpu", "build:cuda", "sdist"};
  action.names = {{"build:cpu", {"Demo_Ops", "1.0"}}, {"build:cuda", {"demo-ops", "1.0"}}};
  return action;
}

plan::Plan plan_with_sdist(const std::string& distribution) {
  plan::BuildSdist sdist;
  sdist.distribution = distribution;
  sdist.version = "1.0";
  plan::Plan plan;
  plan.steps = {{"sdist", "s", sdist}};
  return plan;
}

TEST_CASE("a publication makes a release of each project and version") {
  plan::Publish action = publication("pypi", matrix::TargetKind::pypi);
  const plan::Plan plan = plan_with_sdist("demo.ops");
  auto releases = planned_releases(plan, {&action});
  REQUIRE(releases.size() == 1);
  CHECK(releases[0] == publish::PlannedRelease{"pypi", publish::pypi(), "Demo_Ops", "1.0", 3});
  action.names["build:cuda"] = {"demo-ops-cuda", "1.0"};
  releases = planned_releases(plan, {&action});
  REQUIRE(releases.size() == 2);
  CHECK(releases[0].files == 2);
  CHECK(releases[1].files == 1);
  action.names["build:cpu"].build = 3;
  CHECK(planned_releases(plan, {&action})[0].build == 3);
  // An sdist that no wheel is published with is left out.
  releases = planned_releases(plan_with_sdist("other"), {&action});
  CHECK(releases[0].files == 1);
}

TEST_CASE("targets without pages have no releases to ask for") {
  const plan::Publish directory = publication("wheels", matrix::TargetKind::directory);
  plan::Publish unconfirmed = publication("blind", matrix::TargetKind::index);
  unconfirmed.target.unconfirmed = true;
  plan::Publish malformed = publication("wrong", matrix::TargetKind::index);
  malformed.target.url = "index.example.org";
  CHECK(planned_releases({}, {&directory, &unconfirmed, &malformed}).empty());
}

/// A run that builds one wheel and publishes it to PyPI. Without a reply, PyPI does not know the
/// project.
struct ReleaseWorld : RunWorld {
  const std::string url = publish::project_url(publish::pypi(), "demo-ops");
  std::shared_ptr<ScriptedHttp> http = std::make_shared<ScriptedHttp>();

  ReleaseWorld() {
    plan::Publish action = publication("pypi", matrix::TargetKind::pypi);
    action.builds = {"build:x"};
    action.names = {{"build:x", {"demo-ops", "1.0"}}};
    request.plan.steps = {{"build:x", "b", plan::BuildWheel{}},
                          {"publish:pypi", "p", action, {"build:x"}}};
    host.http = [this](const host::HttpOptions&, const ports::LogHandle&, const std::stop_token&) {
      return http;
    };
  }
  plan::Publish& publish_step() { return std::get<plan::Publish>(request.plan.steps[1].action); }
};

ports::HttpResponse page_of(const std::string& files) {
  return {200,
          "OK",
          {{"content-type", "application/vnd.pypi.simple.v1+json"}},
          R"({"meta": {"api-version": "1.1"}, "name": "demo-ops", "files": [)" + files + "]}"};
}

TEST_CASE("a release asks its indexes before it builds, and prints one table") {
  ReleaseWorld world;
  CHECK(world.code() == 0);
  CHECK(world.http->urls() == Texts{world.url});
  REQUIRE_FALSE(world.console.notes.empty());
  CHECK(world.console.notes[0].find("name is free") != std::string::npos);
  CHECK(world.console.warnings.empty());
  CHECK(world.fake.acts == Texts{"perform build:x", "perform publish:pypi"});
}

TEST_CASE("a release asks GitHub with its token before it builds") {
  ReleaseWorld world;
  plan::Publish& action = world.publish_step();
  action.target.kind = matrix::TargetKind::github_release;
  action.target.name = "github";
  action.target.repository = "acme/ops";
  action.release = {"demo-ops", "1.0", "v1.0", std::string(40, 'c')};
  const std::string api = "https://api.github.com/repos/acme/ops";
  const auto answer = [&](const std::string& part, const std::string& body) {
    world.http->replies[api + part] = {200, "OK", {}, body};
  };
  const auto error = [&] {
    const auto report = world.execute();
    REQUIRE_FALSE(report);
    CHECK(world.fake.acts.empty());
    return report.error();
  };
  CHECK(error().kind == ErrorKind::usage);
  CHECK(world.http->asked.empty());

  world.request.workplace.variables["GITHUB_TOKEN"] = "canary-0123456789";
  CHECK(error().message.find("HTTP 404") != std::string::npos);
  CHECK(world.http->asked.front().headers.back() ==
        std::pair<std::string, std::string>("Authorization", "Bearer canary-0123456789"));
  answer("", R"({"id": 1, "permissions": {"push": false}})");
  answer("/releases?per_page=30&page=1", "[]");
  CHECK(error().message == "the token for `github` may not write to `acme/ops`");
  answer("", R"({"id": 1})");
  answer("/git/ref/tags/v1.0",
         R"({"object": {"type": "commit", "sha": ")" + std::string(40, 'd') + "\"}}");
  CHECK(error().message.find(std::string(40, 'd')) != std::string::npos);
  world.http->replies.erase(api + "/git/ref/tags/v1.0");
  answer("/releases/tags/v1.0",
         R"({"id": 7, "tag_name": "v1.0", "draft": false, "upload_url": "u"})");
  answer("/releases/7/assets?per_page=100&page=1", "[]");
  CHECK(error().message ==
        "the release of tag `v1.0` of `acme/ops` is published with 0 files, and needs 3");
  world.http->replies.erase(api + "/releases/tags/v1.0");
  CHECK(world.code() == 0);
  CHECK(std::ranges::any_of(world.console.notes, [](const std::string& note) {
    return note.find("tag `v1.0` is new") != std::string::npos;
  }));
  CHECK(world.fake.acts == Texts{"perform build:x", "perform publish:pypi"});
}

TEST_CASE("where everything is published or only uploads are left, nothing is asked") {
  ReleaseWorld world;
  CHECK(world.code() == 0);
  world.http->asked.clear();
  CHECK(world.code() == 0);
  world.request.plan.steps[1].parts = {{"target", "another"}};
  CHECK(world.code() == 0);
  CHECK(world.http->asked.empty());
}

TEST_CASE("a closed release that lacks files ends the run before its first step") {
  const std::string old = R"({"filename": "demo_ops-1.0.tar.gz", "url": "x", "hashes": {},)"
                          R"( "upload-time": "2020-01-01T00:00:00Z"})";
  ReleaseWorld world;
  world.http->replies[world.url] = page_of(old);
  world.publish_step().builds.emplace_back("build:y");
  world.publish_step().names["build:y"] = {"demo-ops", "1.0"};
  const Result<report::RunReport> run = world.execute();
  REQUIRE_FALSE(run);
  CHECK(run.error().kind == ErrorKind::publish);
  CHECK(run.error().message.find("is closed") != std::string::npos);
  CHECK(world.fake.acts.empty());
}

TEST_CASE("an index that does not answer is a warning, and the run goes on") {
  ReleaseWorld world;
  world.http->failures[world.url] = {Error{ErrorKind::transient, "no answer"}};
  CHECK(world.code() == 0);
  CHECK(world.console.warnings == Texts{"the state of `demo-ops` on `pypi` is unknown"});
}

TEST_CASE("several closed releases are one error with a cause each") {
  publish::IndexState state;
  state.planned = {"pypi", publish::pypi(), "a", "1.0", 2};
  state.release = publish::ReleaseState::closed;
  publish::IndexState other = state;
  other.planned.project = "b";
  RecordingConsole console;
  const Done reported = report_states({state, other}, console);
  REQUIRE_FALSE(reported);
  CHECK(reported.error().message == "2 releases cannot be completed");
  CHECK(reported.error().causes.size() == 2);
  CHECK(report_states({}, console));
  CHECK(console.notes.size() == 1);
}

}  // namespace
}  // namespace pinwheel::session
