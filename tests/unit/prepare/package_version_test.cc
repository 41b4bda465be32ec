#include "prepare/package_version.h"

#include <string>

#include "fakes/fake_host.h"
#include "publish/endpoints.h"
#include "unit/catch.h"
#include "unit/host/scripted_http.h"

namespace pinwheel::prepare {
namespace {

/// The sources of a version on the second of January 2026.
struct SourcesWorld {
  fakes::FakeHost fake;
  ScriptedHttp http = {};
  matrix::Package package = {};
  VersionSources sources{fake.host, &http, nullptr, "/repo", fake.clock.now()};

  SourcesWorld() {
    package.name = "demo";
    package.source = ".";
  }
  void take_from(matrix::VersionFrom from) { package.version.from = from; }
  void reply(int status, const std::string& body) {
    http.replies[publish::project_url(publish::pypi(), "demo")] = {
        status, "", {{"content-type", "application/vnd.pypi.simple.v1+json"}}, body};
  }
  Result<version::Derived> derived() {
    return package_version(package, version::Channel::ci, sources);
  }
  std::string version() {
    const Result<version::Derived> version = derived();
    INFO((version ? std::string() : render(version.error())));
    REQUIRE(version);
    return pep::to_string(version->version);
  }
  Error no_version() {
    const Result<version::Derived> version = derived();
    REQUIRE_FALSE(version);
    return version.error();
  }
};

TEST_CASE("the version of a third-party sdist is the one that its requirement pins") {
  SourcesWorld world;
  world.package.requirement = "demo==2.5.1";
  CHECK(world.version() == "2.5.1");
  world.package.requirement = "demo>=2";
  CHECK(world.no_version().kind == ErrorKind::config);
  CHECK(world.no_version().message == "`demo>=2` does not pin a version");
}

TEST_CASE("a version from a file is read below the package") {
  SourcesWorld world;
  world.take_from(matrix::VersionFrom::file);
  world.package.version.file = "src/VERSION";
  world.fake.files.put("src/VERSION", "0.4.0\n");
  CHECK(world.version() == "0.4.0");
  world.package.version.file = "nowhere";
  CHECK(world.no_version().message == "no file /repo/nowhere");
  world.fake.files.put("nowhere", "soon");
  CHECK(world.no_version().kind == ErrorKind::config);
}

TEST_CASE("a version from the project is a literal of its files") {
  SourcesWorld world;
  world.take_from(matrix::VersionFrom::project);
  world.fake.files.put("pyproject.toml", "[project]\nname = \"demo\"\nversion = \"7.1\"\n");
  CHECK(world.version() == "7.1");
  world.fake.files.put("pyproject.toml", "[project]\nname = \"demo\"\ndynamic = [\"version\"]\n");
  CHECK(world.no_version().kind == ErrorKind::config);
  CHECK(world.no_version().message == "no file of `/repo` contains the version as a literal");
}

TEST_CASE("a version from tags needs a repository") {
  SourcesWorld world;
  CHECK(world.no_version().kind == ErrorKind::environment);
  CHECK(world.no_version().message ==
        "`/repo` is not in a git repository, and the version comes from its tags");
  ports::GitFacts git;
  git.commit = std::string(40, 'a');
  git.tags = {{"v1.0.0", 0}};
  world.sources.git = &git;
  CHECK(world.version() == "1.0.0");
}

TEST_CASE("a calendar version is that of `version.txt`, else the next on the index") {
  SourcesWorld world;
  world.take_from(matrix::VersionFrom::calver);
  world.reply(200, R"({"meta": {"api-version": "1.0"}, "name": "demo", "files": [
      {"filename": "demo-26.1.3-py3-none-any.whl", "url": "a", "hashes": {}},
      {"filename": "demo-26.1.4.tar.gz", "url": "b", "hashes": {}},
      {"filename": "notes.txt", "url": "c", "hashes": {}}]})");
  CHECK(world.version() == "26.1.5");
  world.fake.files.put("version.txt", "25.12.0\n");
  world.http.asked.clear();
  CHECK(world.version() == "25.12.0");
  CHECK(world.http.asked.empty());
}

TEST_CASE("a project that the index does not have begins with the month") {
  SourcesWorld world;
  world.take_from(matrix::VersionFrom::calver);
  CHECK(world.version() == "26.1.0");
  CHECK(world.http.urls().size() == 1);
}

TEST_CASE("an index that does not answer gives no calendar version") {
  SourcesWorld world;
  world.take_from(matrix::VersionFrom::calver);
  world.reply(503, "");
  CHECK(world.no_version().kind == ErrorKind::transient);
  CHECK(world.no_version().message == "the index answered 503 for `demo`");
  world.reply(200, "{");
  CHECK(world.no_version().kind == ErrorKind::publish);
  world.http.failures[publish::project_url(publish::pypi(), "demo")] = {
      {ErrorKind::transient, "connection refused"}};
  CHECK(world.no_version().message == "connection refused");
  world.sources.http = nullptr;
  CHECK(world.no_version().kind == ErrorKind::config);
}

TEST_CASE("the rules of a matrix are those of its versions") {
  matrix::VersionSettings settings;
  settings.match = "";
  const std::string usual = version::Rules().match;
  CHECK(rules_of(settings).match == usual);
  settings.match = "demo-v*";
  CHECK(rules_of(settings).match == "demo-v*");
  CHECK(rules_of(settings).bump == version::Bump::minor);
  settings.bump = matrix::VersionBump::major;
  CHECK(rules_of(settings).bump == version::Bump::major);
  settings.bump = matrix::VersionBump::patch;
  CHECK(rules_of(settings).bump == version::Bump::patch);
}

}  // namespace
}  // namespace pinwheel::prepare
