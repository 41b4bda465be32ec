#include "prepare/check_version.h"

#include <string>
#include <vector>

#include "unit/prepare/matrix_world.h"

namespace pinwheel::prepare {
namespace {

/// A project with version 1.0 in its files, in a checkout.
struct LiteralWorld {
  fakes::FakeHost fake;
  std::string yaml = kPlainYaml;
  VersionFacts version = {};

  LiteralWorld() {
    fake.git.known = checkout_facts();
    say("1.0");
    version.version = {"1.3.0.dev4", "3 commits after v1.2.0"};
    version.why = {"a final release is followed by the next minor release"};
    version.commit = std::string(40, 'a');
  }
  void say(const std::string& literal) {
    fake.files.put("pyproject.toml", "[project]\nname = \"demo\"\nversion = \"" + literal + "\"\n");
  }
  void take_from(const std::string& source) {
    yaml.replace(yaml.find("source: ."), 9, "source: ., version: {from: " + source + "}");
  }
  Done project() {
    const Loaded loaded = loaded_from(fake, yaml);
    return check_project_version(fake.host, loaded, *select_outline(loaded, {}, {}, ""), version,
                                 fake.notices);
  }
  void tag(const std::string& name) {
    version.tag = version::Tagged{name, *pep::parse_version(name.substr(1)), 0};
  }
  Done head(Publishing publishing) {
    return check_head_tag(fake.host, loaded_from(fake, yaml), version, publishing, fake.notices);
  }
};

Error failed(const Done& checked) {
  REQUIRE_FALSE(checked);
  CHECK(checked.error().kind == ErrorKind::config);
  return checked.error();
}

TEST_CASE("a version in the project's files is compared with the one to build") {
  LiteralWorld world;
  const Error error = failed(world.project());
  CHECK(error.message ==
        "`pyproject.toml` says version `1.0`, but the version to build is `1.3.0.dev4`; a final "
        "release is followed by the next minor release");
  CHECK(error.hint == "write `version: {from: project}` in `m.yaml`, or run `git tag v1.0`");
  REQUIRE(error.at);
  CHECK(error.at->line == 3);
  CHECK(error.at->excerpt == "version = \"1.0\"");
  world.say("1.3.0.dev4");
  CHECK(world.project());
  CHECK(world.fake.notices.warnings.empty());
}

TEST_CASE("changes are committed before a tag is set") {
  LiteralWorld world;
  world.version.version.unreleased = "1.3.0.dev4+aaaaaaa.dirty";
  CHECK(failed(world.project()).hint.ends_with("`git tag v1.0` when the changes are committed"));
}

TEST_CASE("a version from elsewhere than tags has no tag as its fix") {
  LiteralWorld world;
  world.take_from("file, file: VERSION");
  CHECK(failed(world.project()).hint == "write `version: {from: project}` in `m.yaml`");
}

TEST_CASE("a command that may set the version makes a contradiction a warning") {
  LiteralWorld world;
  world.yaml += "build: {command: [./make.sh, \"{version}\"]}\n";
  CHECK(world.project());
  REQUIRE(world.fake.notices.warnings.size() == 1);
  CHECK(world.fake.notices.warnings.front().starts_with("`pyproject.toml` says version `1.0`"));
}

TEST_CASE("the sdist of a project is made by its backend, whatever the command of builds") {
  LiteralWorld world;
  world.yaml.replace(world.yaml.find("source: ."), 9, "source: ., sdist: true");
  world.yaml += "build: {command: [./make.sh, \"{version}\"]}\n";
  CHECK(failed(world.project()).message.starts_with("`pyproject.toml` says version `1.0`"));
}

TEST_CASE("nothing is compared without a literal of a project") {
  LiteralWorld world;
  world.take_from("project");
  CHECK(world.project());
  LiteralWorld none;
  CHECK(none.fake.files.remove_all("pyproject.toml"));
  CHECK(none.project());
  none.fake.files.put("pyproject.toml", "[project\n");
  CHECK(failed(none.project()).at);
}

TEST_CASE("front ends run nothing but the backend of a project") {
  using Argv = std::vector<std::string>;
  for (const Argv& argv :
       {Argv{"pip", "wheel"}, Argv{"/usr/bin/maturin", "build"}, Argv{"pyproject-build"},
        Argv{"python", "-m", "build"}, Argv{"python3.12", "-m", "pip", "wheel"}}) {
    CAPTURE(argv);
    CHECK_FALSE(runs_own_program(argv));
  }
  for (const Argv& argv : {Argv{"make"}, Argv{"python", "setup.py"}, Argv{"python", "-m"},
                           Argv{"python", "-m", "own"}, Argv{"bash", "-m", "build"}}) {
    CAPTURE(argv);
    CHECK(runs_own_program(argv));
  }
}

TEST_CASE("a run with targets or for releases is one that publishes") {
  VersionFacts version;
  CHECK(publishing_of(version) == Publishing::no);
  version.channel = "release";
  CHECK(publishing_of(version) == Publishing::yes);
  version.channel = "quiet";
  version.targets = {"index"};
  CHECK(publishing_of(version) == Publishing::yes);
}

TEST_CASE(
    "a tag on HEAD that contradicts the files stops what is published, else it is a warning") {
  LiteralWorld world;
  world.take_from("project");
  world.version.version = {"1.0", ""};
  world.tag("v1.1");
  const Error error = failed(world.head(Publishing::yes));
  CHECK(error.message ==
        "`pyproject.toml` says version `1.0`, but tag `v1.1` is on HEAD, commit `aaaaaaa`");
  CHECK(error.hint.find("write `1.1` in `pyproject.toml`") == 0);
  CHECK(error.at);
  CHECK(world.head(Publishing::no));
  CHECK(world.fake.notices.warnings == std::vector<std::string>{error.message});
}

TEST_CASE("a tag on HEAD is not reported if it matches, or if changed files are not published") {
  LiteralWorld world;
  world.take_from("project");
  CHECK(world.head(Publishing::yes));
  world.version.version = {"1.0+local", ""};
  world.tag("v1.0");
  CHECK(world.head(Publishing::yes));
  world.tag("v1.1");
  world.version.dirty = true;
  CHECK(world.head(Publishing::no));
  CHECK(world.fake.notices.warnings.empty());
  CHECK_FALSE(world.head(Publishing::yes));
}

TEST_CASE("a version in a file is the one that a tag is compared with") {
  LiteralWorld world;
  world.take_from("file, file: VERSION");
  world.version.version = {"1.0", ""};
  world.tag("v1.1");
  CHECK(world.head(Publishing::yes));
  world.fake.files.put("VERSION", "\n1.0\n");
  const Error error = failed(world.head(Publishing::yes));
  CHECK(error.message.starts_with("`VERSION` says version `1.0`"));
  CHECK(error.at->line == 2);
}

TEST_CASE("files of this checkout are compared with its tag before they are published") {
  LiteralWorld world;
  world.fake.git.known->tags = {{"v1.1", 0}};
  publish::Artifact file;
  file.name = "Demo";
  file.version = "1.0";
  const Error error = failed(check_published_tag(world.fake.host, {file}));
  CHECK(error.message.find("tag `v1.1` is on HEAD") != std::string::npos);
  publish::Artifact other = file;
  other.name = "another";
  publish::Artifact older = file;
  older.version = "0.9";
  CHECK(check_published_tag(world.fake.host, {other, older}));
  // The tag is of a repository around the project.
  world.fake.git.known->tracks_directory = false;
  CHECK(check_published_tag(world.fake.host, {file}));
  world.fake.git.known->tracks_directory = true;
  world.fake.git.known->tags = {{"v1.0", 0}};
  CHECK(check_published_tag(world.fake.host, {file}));
  world.fake.git.known->tags = {{"v1.0-r2", 0}};
  CHECK(check_published_tag(world.fake.host, {file}));
  world.fake.git.known->tags = {{"v1.1-r2", 0}};
  CHECK_FALSE(check_published_tag(world.fake.host, {file}));
  world.fake.git.known = fail(ErrorKind::environment, "no repository");
  CHECK(check_published_tag(world.fake.host, {file}));
}

}  // namespace
}  // namespace pinwheel::prepare
