#include "prepare/collect_answers.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "env/resolution.h"
#include "fakes/fake_host.h"
#include "plan/environments.h"
#include "prepare/packages.h"
#include "unit/catch.h"

namespace pinwheel::prepare {
namespace {

using Texts = std::vector<std::string>;

constexpr const char* kAskedYaml = R"(
schema: pinwheel/1
package: {name: demo, source: .}
axes:
  python: ["3.11", "3.12"]
abi: {python: version}
environment:
  conda: {channels: [conda-forge], packages: ["python={python}"]}
build:
  command: [python, -m, build, "{package}"]
)";

/// A run of two builds, whose environments come from conda and are resolved already.
struct QuestionWorld {
  fakes::FakeHost fake;
  host::Workplace workplace = {};
  RunScope scope = {};
  plan::PlanFacts facts = {};
  BackendQuestions asked{{"demo", {project::BuildSystem{}, "inputs"}}};

  explicit QuestionWorld(const std::string& yaml = kAskedYaml) {
    workplace.state = "/repo/.pinwheel";
    workplace.cache = "/cache";
    workplace.variables = fake.host.variables;
    fake.files.put("m.yaml", yaml);
    Result<Loaded> loaded = load_matrix(fake.files, "m.yaml", fake.notices, Warnings::print);
    INFO((loaded ? std::string() : render(loaded.error())));
    REQUIRE(loaded);
    scope.loaded = *std::move(loaded);
    scope.outline = *select_outline(scope.loaded, {}, {}, "");
    scope.levels.python = env::PythonSource::conda;
    scope.version.version = {"1.0", ""};
    scope.version.machine = "x86_64";
    Result<RunScope> whole = up_to(plan::Stage::test, scope);
    REQUIRE(whole);
    scope = *std::move(whole);
    facts.version = scope.version.version;
    facts.machine = "x86_64";
    facts.source.digest = "source";
  }

  RunView view() const { return {fake.host, scope, workplace, facts}; }

  /// Records packages for every environment.
  void resolve() {
    const Result<std::vector<env::Request>> requests = environment_requests(view());
    REQUIRE(requests);
    for (const env::Request& request : *requests) {
      env::Resolution resolution;
      resolution.request = env::digest(request);
      resolution.python = request.python + ".1";
      fake.files.put(workplace.state / "resolutions" / (env::digest(request) + ".json"),
                     env::to_json(resolution));
    }
  }
  Texts questions() const {
    Texts ids;
    for (const auto& [id, variant] : questions_of(scope, asked)) ids.push_back(id);
    return ids;
  }
  std::string record_of(const std::string& id) const {
    return fake.files.text(workplace.state / "backends" / (id + ".json"));
  }
  Result<matrix::Matrix> collect(const PackageSource& source) {
    return collect_answers(view(), asked, source, fake.notices);
  }
  matrix::Matrix collected(const PackageSource& source) {
    Result<matrix::Matrix> matrix = collect(source);
    INFO((matrix ? std::string() : render(matrix.error())));
    REQUIRE(matrix);
    return *std::move(matrix);
  }
};

Texts ids_of(const std::vector<matrix::Variant>& variants) {
  Texts ids;
  for (const matrix::Variant& variant : variants) ids.push_back(variant.id);
  std::sort(ids.begin(), ids.end());
  return ids;
}

TEST_CASE("each environment of a build is one question, and none without `build-requires`") {
  CHECK(QuestionWorld().questions().size() == 2);
  CHECK(QuestionWorld(std::string(kAskedYaml) +
                      "overrides:\n  - {when: {python: \"3.11\"}, environment: "
                      "{build-requires: none}}\n")
            .questions()
            .size() == 1);
}

TEST_CASE("another backend and other inputs are other questions") {
  QuestionWorld world;
  const Texts first = world.questions();
  world.asked.at("demo").inputs = "others";
  const Texts second = world.questions();
  CHECK(second.size() == first.size());
  CHECK(first != second);
}

TEST_CASE("a supplied answer comes first, then a recorded one; others are asked") {
  const QuestionWorld world;
  const auto questions = questions_of(world.scope, world.asked);
  const std::string one = questions.begin()->first;
  const std::string other = std::next(questions.begin())->first;
  const AvailableAnswers available{{{one, {"brought"}}}, {{one, {"recorded"}}, {"unknown", {}}}};
  const AnswerPlan plan = plan_answers(questions, available, Asking::allowed);
  CHECK(plan.known == BackendAnswers{{one, {"brought"}}});
  CHECK(plan.to_record == BackendAnswers{{one, {"brought"}}});
  CHECK(ids_of(plan.to_ask) == Texts{questions.at(other).id});
  const AnswerPlan recorded = plan_answers(questions, {{}, {{other, {"old"}}}}, Asking::never);
  CHECK(recorded.known == BackendAnswers{{other, {"old"}}});
  CHECK(recorded.to_record.empty());
  CHECK(recorded.to_ask.empty());
}

TEST_CASE("only the builds of the packages whose backends are asked have questions") {
  std::string yaml = kAskedYaml;
  yaml.replace(yaml.find("axes:"), 5, "family: [{name: data, source: data}]\naxes:");
  QuestionWorld world(yaml);
  CHECK(world.questions().size() == 2);
  world.asked.emplace("data", BackendQuestion{project::BuildSystem{}, "other inputs"});
  CHECK(world.questions().size() == 4);
}

TEST_CASE("without a question nothing is opened, read or asked") {
  QuestionWorld world;
  const Result<matrix::Matrix> matrix =
      collect_answers(world.view(), {}, FromIndexes{}, world.fake.notices);
  REQUIRE(matrix);
  CHECK(matrix->backend_answers.empty());
  CHECK(world.fake.files.changes.empty());
  CHECK(world.fake.acts.empty());
}

TEST_CASE("a forecast uses recorded answers, and asks nothing") {
  QuestionWorld world;
  CHECK(world.collected(FromRecord{}).backend_answers.empty());
  const std::string id = world.questions().front();
  world.fake.files.put(world.workplace.state / "backends" / (id + ".json"),
                       R"({"requires": ["cython"]})");
  const matrix::Matrix matrix = world.collected(FromRecord{});
  REQUIRE(matrix.backend_answers.size() == 1);
  CHECK(matrix.backend_answers.begin()->second.question == id);
  CHECK(matrix.backend_answers.begin()->second.texts == Texts{"cython"});
  CHECK(world.fake.acts.empty());
  CHECK(world.fake.files.changes.empty());
}

TEST_CASE("the answers of a frozen plan are recorded here, and nothing is asked") {
  QuestionWorld world;
  plan::FrozenPlan frozen;
  for (const std::string& id : world.questions()) frozen.answers[id] = {"numpy"};
  const matrix::Matrix matrix = world.collected(FromFrozenPlan{frozen, "digest"});
  CHECK(matrix.backend_answers.size() == 2);
  CHECK(world.fake.acts.empty());
  for (const std::string& id : world.questions()) {
    CHECK(world.record_of(id).find("numpy") != std::string::npos);
  }
}

TEST_CASE("a record that cannot be written ends the preparation") {
  QuestionWorld world;
  plan::FrozenPlan frozen;
  for (const std::string& id : world.questions()) frozen.answers[id] = {"numpy"};
  world.fake.files.refused = "/backends/";
  const Result<matrix::Matrix> matrix = world.collect(FromFrozenPlan{frozen, "digest"});
  REQUIRE_FALSE(matrix);
  CHECK(matrix.error().message.starts_with("refused: write /repo/.pinwheel/backends/"));
}

TEST_CASE("a backend without an answer is asked once for each environment, which is recorded") {
  QuestionWorld world;
  world.resolve();
  const matrix::Matrix matrix = world.collected(FromIndexes{});
  CHECK(world.fake.acts == Texts{"ask build:cp311", "ask build:cp312"});
  CHECK(matrix.backend_answers.size() == 2);
  for (const std::string& id : world.questions()) {
    CHECK(world.record_of(id).find("numpy>=2") != std::string::npos);
  }
  CHECK(world.fake.notices.notes.back() ==
        "asking `setuptools.build_meta:__legacy__` what `build:cp312` requires\n");
  world.fake.acts.clear();
  CHECK(world.collected(FromIndexes{}).backend_answers == matrix.backend_answers);
  CHECK(world.fake.acts.empty());
}

TEST_CASE("only the environments without an answer are made for asking") {
  QuestionWorld world;
  world.resolve();
  const auto questions = questions_of(world.scope, world.asked);
  const auto& [id, variant] = *questions.begin();
  world.fake.files.put(world.workplace.state / "backends" / (id + ".json"), R"({"requires": []})");
  static_cast<void>(world.collected(FromIndexes{}));
  REQUIRE(world.fake.acts.size() == 1);
  CHECK(world.fake.acts.front() != "ask build:" + variant.id);
}

TEST_CASE("a backend that fails ends the preparation, and its answer is not recorded") {
  QuestionWorld world;
  world.resolve();
  world.fake.answer = fail(ErrorKind::step, "no module named demo_backend");
  const Result<matrix::Matrix> matrix = world.collect(FromIndexes{});
  REQUIRE_FALSE(matrix);
  CHECK(matrix.error().message == "no module named demo_backend");
  CHECK(world.fake.acts.size() == 1);
  for (const std::string& id : world.questions()) CHECK(world.record_of(id).empty());
}

TEST_CASE("the answers for steps that a run does not execute are asked as well") {
  QuestionWorld world;
  world.resolve();
  world.scope.executed = ExecutedPart{};
  CHECK(world.collected(FromIndexes{}).backend_answers.size() == 2);
}

}  // namespace
}  // namespace pinwheel::prepare
