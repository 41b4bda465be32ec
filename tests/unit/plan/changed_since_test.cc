#include "plan/changed_since.h"

#include <memory>

#include "plan/key.h"
#include "plan/known_results.h"
#include "unit/catch.h"

using namespace pinwheel;
using namespace pinwheel::plan;

namespace {

using FileDigests = std::map<std::string, std::string>;

Source source_with(FileDigests digests, const std::string& digest) {
  Source source;
  source.directory = "/project";
  source.digest = digest;
  source.files = std::make_shared<const SourceFiles>(SourceFiles{std::move(digests), {}});
  return source;
}

Step since_step(const std::string& id, Action action, KeyParts parts,
                std::vector<std::string> needs) {
  Step step{id, {}, std::move(action), std::move(needs)};
  step.parts = std::move(parts);
  step.parts["id"] = id;
  step.key = key_of(step.parts);
  return step;
}

/// The files of a project: those of its wheels, and the others, which only its tests receive.
struct SinceFiles {
  FileDigests wheel = {{"a.cpp", "1"}, {"b.h", "1"}};
  FileDigests other = {{"README.md", "1"}, {"tests/t.py", "1"}, {"pinwheel.yaml", "1"}};
};

std::string digest_of(const FileDigests& files) {
  std::string text;
  for (const auto& [name, digest] : files) text += name + digest;
  return text;
}

SinceSide side_of(const SinceFiles& files, const KeyParts& more = {}) {
  FileDigests all = files.wheel;
  all.insert(files.other.begin(), files.other.end());
  const Source wheel = source_with(files.wheel, digest_of(files.wheel));
  const Source whole = source_with(all, digest_of(all));
  KeyParts build = {{"source.digest", wheel.digest}, {"epoch", wheel.digest}};
  build.insert(more.begin(), more.end());
  BuildWheel built;
  built.source = wheel;
  TestWheel tested;
  tested.source = whole;
  tested.settings.command = {"pytest"};
  SinceSide side;
  side.matrix = "/project/pinwheel.yaml";
  side.plan.steps = {
      since_step("env:a", CreateEnvironment{}, {{"packages", "1"}}, {}),
      since_step("build:x", built, build, {"env:a"}),
      since_step("test:v", tested, {{"source.digest", whole.digest}}, {"env:a", "build:x"})};
  return side;
}

/// The results of all steps of a side.
Results results_of_side(const SinceSide& side) {
  Results results;
  for (int round = 0; round < 2; ++round) {
    for (const SearchableStep& open : searchable_steps(side.plan, results)) {
      StepOutcome outcome;
      outcome.id = open.step->id;
      outcome.key = open.key;
      outcome.parts = open.parts;
      outcome.outputs = {{open.step->id, std::string(64, 'a'), 1}};
      results[{outcome.id, outcome.key}] = outcome;
    }
  }
  return results;
}

using Reasons = std::map<std::string, std::vector<std::string>>;

Reasons reasons_for(const SinceSide& then, const SinceSide& now) {
  Reasons reasons;
  for (const SinceStep& step : compare_sides(then, results_of_side(then), now, "main")) {
    CHECK((step.state == SinceState::unchanged) == step.reasons.empty());
    if (!step.reasons.empty()) reasons[step.id] = step.reasons;
  }
  return reasons;
}

}  // namespace

TEST_CASE("a step whose key is that of a result is unchanged") {
  CHECK(reasons_for(side_of({}), side_of({})).empty());
}

TEST_CASE("documentation, the matrix and its locks run no test by themselves") {
  SinceFiles files;
  files.other["README.md"] = "2";
  files.other["docs/new.md"] = "1";
  files.other["pinwheel.yaml"] = "2";
  files.other["pinwheel.locks/pylock.a.toml"] = "1";
  CHECK(reasons_for(side_of({}), side_of(files)).empty());
  files.other["tests/t.py"] = "2";
  CHECK(reasons_for(side_of({}), side_of(files)).contains("test:v"));
}

TEST_CASE("documentation that a test command names runs the test") {
  SinceFiles files;
  files.other["README.md"] = "2";
  SinceSide now = side_of(files);
  std::get<TestWheel>(now.plan.steps[2].action).settings.command = {"pytest", "README.md"};
  CHECK(reasons_for(side_of({}), now) ==
        Reasons{{"test:v", {"source changed (1 file: README.md)"}}});
}

TEST_CASE("a test that runs a directory of documentation, doctests or a lock depends on these") {
  using Command = std::vector<std::string>;
  const auto runs = [](const std::string& file, const Command& command) {
    SinceFiles files;
    files.other[file] = "2";
    SinceSide now = side_of(files);
    std::get<TestWheel>(now.plan.steps[2].action).settings.command = command;
    return reasons_for(side_of({}), now).contains("test:v");
  };
  CHECK(runs("docs/usage.md", {"sh", "-c", "cd {project} && pytest docs"}));
  CHECK(runs("README.md", {"pytest", "--doctest-glob=*.md"}));
  CHECK(runs("pylock.tests.toml", {"sh", "-c", "pip install -r pylock.tests.toml && pytest"}));
  CHECK_FALSE(runs("docs/usage.md", {"pytest", "tests"}));
  CHECK_FALSE(runs("pylock.tests.toml", {"pytest", "tests"}));
}

TEST_CASE("a changed source names its files once and runs what needs it") {
  SinceFiles files;
  files.wheel["a.cpp"] = "2";
  files.wheel["c.cpp"] = "1";
  CHECK(reasons_for(side_of({}), side_of(files)) ==
        Reasons{{"build:x", {"source changed (2 files: a.cpp, c.cpp)"}},
                {"test:v", {"`build:x` changed", "source changed (2 files: a.cpp, c.cpp)"}}});
}

TEST_CASE("other parts of a key are reasons as in explain") {
  CHECK(reasons_for(side_of({}, {{"variables.CXXFLAGS", "\"-O2\""}}),
                    side_of({}, {{"variables.CXXFLAGS", "\"-O3\""}}))["build:x"] ==
        std::vector<std::string>{"variables.CXXFLAGS: -O2 -> -O3"});
}

TEST_CASE("packages of an environment are named if both sides know them") {
  const SinceSide then = side_of({});
  SinceSide now = side_of({});
  now.plan.steps[0].parts["packages"] = "2";
  now.plan.steps[0].key = key_of(now.plan.steps[0].parts);
  CHECK(reasons_for(then, now)["build:x"] == std::vector<std::string>{"its environment changed"});
  SinceSide known = then;
  known.packages["build:x"] = {{"numpy", {"1.2"}}};
  now.packages["build:x"] = {{"numpy", {"1.3"}}};
  CHECK(reasons_for(known, now)["build:x"] ==
        std::vector<std::string>{"package numpy: 1.2 -> 1.3"});
}

TEST_CASE("a step without a result runs, and says whether the commit has the step") {
  const SinceSide then = side_of({});
  SinceSide now = side_of({});
  const std::vector<SinceStep> none = compare_sides(then, {}, now, "main");
  REQUIRE(none.size() == 2);
  CHECK(none[0].state == SinceState::no_result);
  CHECK(none[0].reasons == std::vector<std::string>{"no result of `main`"});
  CHECK_FALSE(has_any_result(then.plan, {}));
  CHECK(has_any_result(then.plan, results_of_side(then)));
  now.plan.steps[2].id = "test:w";
  CHECK(reasons_for(then, now) == Reasons{{"test:w", {"`main` has no such step"}}});
}
