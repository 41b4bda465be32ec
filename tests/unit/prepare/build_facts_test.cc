#include "prepare/build_facts.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "unit/host/scratch.h"
#include "unit/host/scripted_http.h"
#include "unit/prepare/matrix_world.h"

namespace pinwheel::prepare {
namespace {

TEST_CASE("a report or a plan passes on the variables that affect a build, and no others") {
  CHECK(deciding_variables({{"CFLAGS", "-O1"}, {"LD_PRELOAD", "/evil.so"}}) ==
        std::map<std::string, std::string>{{"CFLAGS", "-O1"}});
}

TEST_CASE("a variable that decides builds is UTF-8, and one that is not is named") {
  CHECK(check_variables({{"CFLAGS", "-I/tmp/caf\xc3\xa9"}}));
  const Done refused = check_variables({{"CC", "gcc"}, {"CFLAGS", "-I/tmp/caf\xe9"}});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == ErrorKind::config);
  CHECK(refused.error().message ==
        R"(the variable `CFLAGS` decides builds, and `-I/tmp/caf\xe9` is not UTF-8)");
}

/// A package of one file in a directory of its own, at a commit.
struct GatherWorld {
  Scratch scratch = {};
  fakes::FakeHost fake{scratch.path()};
  RunScope scope = {};
  host::Workplace workplace = {};
  std::optional<std::map<std::string, std::string>> recorded = {};

  GatherWorld() {
    put("a.py", "one");
    fake.git.tracked.tracked = {"a.py"};
    fake.git.changed = ports::GitChange{
        std::string(40, 'b'), std::chrono::system_clock::time_point(std::chrono::seconds(99))};
    scope = whole_scope(fake, kPlainYaml);
    scope.version.commit = std::string(40, 'a');
    scope.version.source_date_epoch = 77;
    workplace.matrix_directory = scratch.path();
    workplace.state = scratch.path() / ".pinwheel";
    workplace.cache = scratch.path() / "cache";
    workplace.output = scratch.path() / "dist";
    workplace.variables = fake.host.variables;
  }
  void put(const std::string& name, const std::string& text) {
    scratch.write(name, text);
    fake.files.put(name, text);
  }
  Result<BuildFacts> gather() { return gather_build_facts(fake.host, scope, workplace, recorded); }
  BuildFacts facts() {
    Result<BuildFacts> facts = gather();
    INFO((facts ? std::string() : render(facts.error())));
    REQUIRE(facts);
    return *std::move(facts);
  }
  Error refused() {
    const Result<BuildFacts> facts = gather();
    REQUIRE_FALSE(facts);
    return facts.error();
  }
};

TEST_CASE("the date of wheels is that of the last change of their source") {
  GatherWorld world;
  CHECK(world.facts().package.wheel_change == plan::SourceChange{std::string(40, 'b'), 99});
  world.fake.host.variables["SOURCE_DATE_EPOCH"] = "77";
  CHECK(world.facts().package.wheel_change == plan::SourceChange{std::string(40, 'b'), 77});
}

TEST_CASE("the change of a frozen plan counts, and git is not asked for another") {
  GatherWorld world;
  world.scope.version.wheel_change = plan::SourceChange{"frozen", 5};
  CHECK(world.facts().package.wheel_change == plan::SourceChange{"frozen", 5});
  CHECK(world.fake.git.changes_asked == 0);
}

TEST_CASE("outside git the date of wheels is that of the run") {
  GatherWorld world;
  world.scope.version.commit.clear();
  world.fake.git.listed = fail(ErrorKind::environment, "no repository");
  CHECK(world.facts().package.wheel_change == plan::SourceChange{"", 77});
  CHECK(world.fake.git.changes_asked == 0);
}

TEST_CASE("a history that cannot be read ends the preparation before a compiler is asked") {
  GatherWorld world;
  world.fake.git.changed = fail(ErrorKind::environment, "an object is missing");
  CHECK(world.refused().message == "an object is missing");
  CHECK(world.fake.process.started.empty());
}

TEST_CASE("a source without files is an error, and another file is another source") {
  GatherWorld world;
  const std::string digest = world.facts().package.source.digest;
  world.put("a.py", "two");
  CHECK(world.facts().package.source.digest != digest);
  world.fake.git.tracked.tracked = {"gone.py"};
  CHECK(world.refused().kind == ErrorKind::config);
  CHECK(world.fake.git.changes_asked == 2);
}

TEST_CASE("the source of wheels omits files that no wheel contains") {
  GatherWorld world;
  world.put("docs/index.md", "text");
  world.fake.git.tracked.tracked = {"a.py", "docs/index.md"};
  world.scope.loaded.matrix.package.ignored = {"docs/**"};
  const BuildFacts facts = world.facts();
  CHECK(facts.package.source.digest != facts.package.wheel_source.digest);
  world.put("docs/index.md", "another text");
  CHECK(world.facts().package.wheel_source.digest == facts.package.wheel_source.digest);
}

TEST_CASE("each package of a family has its own source and change") {
  GatherWorld world;
  world.scope.loaded.matrix.family = {{{.name = "data", .source = "data"}, {}}};
  world.put("data/b.py", "two");
  world.fake.git.tracked.tracked = {"a.py", "b.py"};
  world.scope.version.family_changes["data"] = {"frozen", 6};
  world.put("b.py", "three");
  world.put("data/a.py", "four");
  const BuildFacts facts = world.facts();
  CHECK(facts.family.at("data").source.digest != facts.package.source.digest);
  CHECK(facts.family.at("data").wheel_change == plan::SourceChange{"frozen", 6});
  CHECK(facts.package.wheel_change != facts.family.at("data").wheel_change);
  world.fake.files.put(
      world.scratch.path() / "data/pyproject.toml",
      "[build-system]\nrequires = ['hatchling']\nbuild-backend = 'hatchling.build'\n");
  const auto requires_ = requires_of(world.scope.loaded.matrix, world.facts());
  CHECK(requires_.at("data") == std::vector<std::string>{"hatchling"});
}

TEST_CASE("the compiler that is named decides, and one that fails is none") {
  GatherWorld world;
  world.workplace.variables["CXX"] = "clang++";
  world.workplace.variables["CFLAGS"] = "-O1";
  CHECK(world.facts().toolchain.empty());
  CHECK(world.fake.process.started.back() == "clang++");
  world.fake.process.run = [](const ports::Command&) -> Result<ports::Captured> {
    return ports::Captured{{.code = 1}, "14", ""};
  };
  CHECK(world.facts().toolchain.empty());
  // The variables of a run to repeat replace those of the user.
  world.recorded = std::map<std::string, std::string>{{"CFLAGS", "-O2"}};
  CHECK(world.facts().variables == *world.recorded);
  CHECK(world.fake.process.started.back() == "c++");
}

TEST_CASE("an `arch-list` of an override keeps the user's from every build") {
  GatherWorld world;
  world.workplace.variables["TORCH_CUDA_ARCH_LIST"] = "9.0";
  CHECK(world.facts().variables.contains("TORCH_CUDA_ARCH_LIST"));
  RunScope scope = whole_scope(world.fake, std::string(kPlainYaml) +
                                               "overrides:\n  - {when: {python: \"3.11\"}, build: "
                                               "{arch-list: [\"8.0\"]}}\n");
  world.scope.loaded = scope.loaded;
  CHECK(world.facts().variables.empty());
  CHECK(world.facts().ignored.contains("TORCH_CUDA_ARCH_LIST"));
}

/// The requirements in the files of a source.
SourceRequires required_by(const std::map<std::string, std::string>& files) {
  fakes::FakeHost fake;
  for (const auto& [name, text] : files) fake.files.put(name, text);
  Result<SourceRequires> found = source_requires(fake.files, "/repo");
  INFO((found ? std::string() : render(found.error())));
  REQUIRE(found);
  return *std::move(found);
}

constexpr const char* kSetuptools =
    "[build-system]\nrequires = [\"setuptools\"]\nbuild-backend = \"setuptools.build_meta\"\n";

TEST_CASE("a source without a project requires nothing, one with setup.py setuptools") {
  CHECK(required_by({{"setup.cfg", "[metadata]\n"}}).texts.empty());
  CHECK_FALSE(required_by({{"make.sh", ""}}).question);
  CHECK(required_by({{"setup.py", "setup()\n"}}).texts.front().starts_with("setuptools"));
}

TEST_CASE("a backend is asked only if its files leave something open") {
  CHECK_FALSE(required_by({{"pyproject.toml",
                            "[build-system]\nrequires = [\"hatchling\"]\n"
                            "build-backend = \"hatchling.build\"\n"}})
                  .question);
  CHECK(required_by({{"pyproject.toml",
                      "[build-system]\nrequires = []\nbuild-backend = \"own\"\n"
                      "backend-path = [\".\"]\n"}})
            .question);
  CHECK(required_by(
            {{"pyproject.toml", kSetuptools}, {"setup.py", "setup(setup_requires=needed())\n"}})
            .question);
}

TEST_CASE("a question is another if a file that may decide its answer is another") {
  const auto inputs = [](const std::map<std::string, std::string>& more) {
    std::map<std::string, std::string> files = {
        {"pyproject.toml",
         "[build-system]\nrequires = []\nbuild-backend = \"own\"\nbackend-path = [\"backend\"]\n"},
        {"backend/own.py", "one"}};
    for (const auto& [name, text] : more) files[name] = text;
    const SourceRequires found = required_by(files);
    REQUIRE(found.question);
    return found.question->inputs;
  };
  const std::string plain = inputs({});
  CHECK(inputs({{"README.md", "text"}}) == plain);
  CHECK(inputs({{"src/more.py", "text"}}) == plain);
  CHECK(inputs({{"backend/own.py", "two"}}) != plain);
  CHECK(inputs({{"requirements.txt", "numpy"}}) != plain);
}

TEST_CASE("a project file that is not valid is an error") {
  fakes::FakeHost fake;
  fake.files.put("pyproject.toml", "[build-system\n");
  const auto found = source_requires(fake.files, "/repo");
  REQUIRE_FALSE(found);
  CHECK(found.error().kind == ErrorKind::config);
}

TEST_CASE("an sdist on an index is pinned to one version") {
  GatherWorld world;
  for (const char* const open : {"demo", "demo>=1", "demo==1.*", "demo==1,!=2", "=="}) {
    CAPTURE(open);
    const auto source = sdist_source(world.fake.host, open, world.workplace);
    REQUIRE_FALSE(source);
    CHECK(source.error().kind == ErrorKind::config);
    CHECK(source.error().hint == "name one version: `NAME==VERSION`");
  }
  CHECK(world.fake.files.changes.empty());
}

TEST_CASE("an sdist that is in the cache is not fetched again") {
  GatherWorld world;
  auto http = std::make_shared<ScriptedHttp>();
  world.fake.host.http = [http](host::HttpOptions, ports::LogHandle, std::stop_token) {
    return http;
  };
  const auto missing = sdist_source(world.fake.host, "demo==1.0", world.workplace);
  REQUIRE_FALSE(missing);
  CHECK(missing.error().kind != ErrorKind::transient);
  REQUIRE(world.fake.files.changes.size() == 1);
  const std::string sdists = "make " + (world.scratch.path() / "cache/sdists").string();
  CHECK(world.fake.files.changes.front() == sdists);
  CHECK_FALSE(http->asked.empty());
  world.fake.files.refused = "/sdists";
  http->asked.clear();
  CHECK(sdist_source(world.fake.host, "demo==1.0", world.workplace).error().message ==
        "refused: " + sdists);
  CHECK(http->asked.empty());
}

}  // namespace
}  // namespace pinwheel::prepare
