#include "ci/job_rows.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "matrix/parse.h"
#include "matrix/selection.h"
#include "plan/make_plan.h"
#include "unit/catch.h"

using namespace pinwheel;
using namespace pinwheel::ci;
using Json = nlohmann::json;

namespace {

struct Example {
  matrix::Matrix matrix;
  matrix::Expansion expansion;
  plan::Outline outline;
  plan::Plan plan;

  explicit Example(const std::string& yaml, plan::Durations durations = {}) {
    const Result<matrix::Matrix> parsed = matrix::parse(yaml, "m.yaml");
    INFO((parsed ? std::string() : render(parsed.error())));
    REQUIRE(parsed);
    matrix = *parsed;
    expansion = *matrix::expand(matrix);
    outline = plan::make_outline(*matrix::abi_classes(matrix, expansion.variants),
                                 *matrix::select(matrix, expansion, {}));
    plan::PlanFacts facts;
    facts.version = {"1.0", ""};
    facts.durations = std::move(durations);
    plan = *plan::make_plan(matrix, expansion, outline, facts, {plan::Stage::test});
  }

  Json rows(Rows kind) const {
    const Result<RowChunks> made = row_chunks(plan, outline, expansion.variants, matrix.ci, kind);
    REQUIRE(made);
    REQUIRE(made->chunks.size() == 1);
    return Json::parse(made->chunks[0]);
  }
};

std::string yaml(const std::string& axes) {
  return R"(
schema: pinwheel/1
package: {name: demo, source: ., sdist: true}
axes:
)" + axes +
         R"(
build:
  command: [python, -m, build, "{package}"]
)";
}

/// Two Pythons, two computes, and two builds.
std::string two_computes() {
  return yaml("  python: [\"3.11\", \"3.12\"]\n  compute: [cpu, cuda/13.0]\n") + R"(
abi: {python: none, compute: major}
overrides:
  - when: {compute: "cuda/*"}
    build: {arch-list: ["8.0", "9.0"]}
)";
}

/// The same, with the build for CUDA in several jobs.
std::string split_build() {
  std::string text = two_computes();
  const std::string list = "arch-list: [\"8.0\", \"9.0\"]";
  return text.replace(text.find(list), list.size(), list + ", split: architectures");
}

}  // namespace

TEST_CASE("each build and the sdist is one row, the longest first") {
  const Json rows = Example(two_computes()).rows(Rows::builds);
  CHECK(rows.at("chunks") == 1);
  REQUIRE(rows.at("include").size() == 3);
  CHECK(rows["include"][0].at("step") == "build:cu13");
  CHECK(rows["include"][0].at("name") == "build cu13");
  CHECK(rows["include"][0].at("compute") == "cuda/13.0");
  CHECK(rows["include"][0].at("id") == "cp311-cu130");
  CHECK(rows["include"][0].at("needs").empty());
  CHECK(rows["include"][0].at("minutes").get<int>() >= 1);
  std::set<std::string> steps;
  for (const Json& row : rows["include"]) steps.insert(row.at("step").get<std::string>());
  CHECK(steps == std::set<std::string>{"build:cpu", "build:cu13", "sdist"});
}

TEST_CASE("each test is one row that names the build that it needs") {
  const Json rows = Example(two_computes()).rows(Rows::tests);
  REQUIRE(rows.at("include").size() == 4);
  for (const Json& row : rows["include"]) {
    CHECK(row.at("step") == "test:" + row.at("id").get<std::string>());
    CHECK(row.at("needs") == Json::array({row.at("build")}));
    CHECK(row.at("runner") == "ubuntu-24.04");
  }
}

TEST_CASE("a row runs on the machine of its architecture, or on the runner of the matrix") {
  const Example hosted(yaml("  python: [\"3.11\"]\n  compute: [cpu]\n  arch: [x86_64, aarch64]\n"));
  std::map<std::string, std::string> runners;
  const Json hosted_rows = hosted.rows(Rows::tests).at("include");
  for (const Json& row : hosted_rows) {
    runners[row.at("arch").get<std::string>()] = row.at("runner").get<std::string>();
  }
  CHECK(runners == std::map<std::string, std::string>{{"x86_64", "ubuntu-24.04"},
                                                      {"aarch64", "ubuntu-24.04-arm"}});
  const Example own(two_computes() +
                    "attributes: [runner]\ninclude: [{compute: cuda/13.0, runner: large}]\n");
  const Json own_rows = own.rows(Rows::tests).at("include");
  for (const Json& row : own_rows) {
    CHECK(row.at("runner") == (row.at("compute") == "cpu" ? "ubuntu-24.04" : "large"));
  }
}

TEST_CASE("a row has names for its artifact and for that of its build") {
  const Json builds = Example(two_computes()).rows(Rows::builds).at("include");
  CHECK(builds[0].at("artifact") == "build-cu13");
  CHECK(builds[0].at("from") == "");
  const Json tests = Example(two_computes()).rows(Rows::tests).at("include");
  for (const Json& row : tests) {
    CHECK(row.at("artifact") == "test-" + row.at("id").get<std::string>());
    CHECK(row.at("from") == (row.at("compute") == "cpu" ? "build-cpu" : "build-cu13"));
  }
}

TEST_CASE("the device code of each architecture is one row, which the build needs") {
  const Example example(split_build() + "ci: {runners: {build: big}}\n",
                        {{{"device:cu13@8.0", {std::chrono::minutes(40)}}}});
  const Json devices = example.rows(Rows::devices).at("include");
  REQUIRE(devices.size() == 2);
  CHECK(devices[0].at("step") == "device:cu13@8.0");
  CHECK(devices[0].at("name") == "device cu13 for 8.0");
  CHECK(devices[0].at("limit") == 3 * devices[0].at("minutes").get<int>() + 30);
  CHECK(devices[1].at("step") == "device:cu13@9.0");
  CHECK_FALSE(devices[1].contains("limit"));
  std::vector<std::string> steps;
  std::vector<std::string> artifacts;
  for (const Json& row : devices) {
    CHECK(row.at("id") == "cp311-cu130");
    CHECK(row.at("build") == "build:cu13");
    CHECK(row.at("runner") == "big");
    CHECK(row.at("needs").empty());
    CHECK(row.at("from") == "");
    steps.push_back(row.at("step"));
    artifacts.push_back(row.at("artifact"));
  }
  const Json builds = example.rows(Rows::builds).at("include");
  REQUIRE(builds.size() == 3);
  for (const Json& row : builds) {
    const bool split = row.at("step") == "build:cu13";
    CHECK(row.at("needs") == (split ? Json(steps) : Json::array()));
    CHECK(row.at("from") == (split ? "{" + artifacts[0] + "," + artifacts[1] + "}" : ""));
    if (split) CHECK(row.at("build") == "build:cu13");
  }
  const Json tests = example.rows(Rows::tests).at("include");
  for (const Json& row : tests) CHECK(row.at("needs") == Json::array({row.at("build")}));
  CHECK(Example(two_computes()).rows(Rows::devices).at("include").empty());
}

TEST_CASE("device code gets the secrets of its build") {
  const Example example(split_build() + "    environment: {secrets: [LICENSE_TOKEN]}\n");
  const Json devices = example.rows(Rows::devices).at("include");
  REQUIRE(devices.size() == 2);
  for (const Json& row : devices) {
    CHECK(row.at("secrets") == Json::array({"LICENSE_TOKEN"}));
    CHECK(row.at("trusted") == true);
  }
}

TEST_CASE("runners of `ci` place the rows, and a GPU test without one has none") {
  const std::string gpu = R"(
test: {hardware: {"cuda/*": gpu, default: none}}
)";
  const Example nowhere(two_computes() + gpu);
  const Result<RowChunks> rows = row_chunks(
      nowhere.plan, nowhere.outline, nowhere.expansion.variants, nowhere.matrix.ci, Rows::tests);
  REQUIRE(rows);
  CHECK(rows->unplaced == std::vector<std::string>{"test:cp311-cu130", "test:cp312-cu130"});
  CHECK(Json::parse(rows->chunks[0]).at("include").size() == 2);
  const auto jobs = job_rows(nowhere.plan, nowhere.outline, nowhere.expansion.variants,
                             nowhere.matrix.ci, Rows::tests);
  REQUIRE(jobs);
  for (const JobRow& job : *jobs) {
    CHECK(job.runner.has_value() == job.variant.ends_with("-cpu"));
    CHECK(job.step == "test:" + job.variant);
  }
  const Example placed(two_computes() + gpu +
                       "ci: {runners: {test: {\"cuda/*\": [self-hosted, gpu]}, build: big}, "
                       "driver: get-driver}\n");
  const Json tests = placed.rows(Rows::tests).at("include");
  for (const Json& row : tests) {
    CHECK(row.contains("install-driver") == (row.at("compute") != "cpu"));
    if (row.at("compute") == "cpu") continue;
    CHECK(row.at("install-driver") == "get-driver");
    CHECK(row.at("runner") == Json::array({"self-hosted", "gpu"}));
  }
  const Json builds = placed.rows(Rows::builds).at("include");
  CHECK(builds[0].at("runner") == "big");
}

TEST_CASE("a row has the names of its step's secrets, and whether it is trusted") {
  const std::string secret = "    environment: {secrets: [LICENSE_TOKEN]}\n";
  const Example example(two_computes() + secret);
  const Json builds = example.rows(Rows::builds).at("include");
  const Json tests = example.rows(Rows::tests).at("include");
  for (const Json& rows : {builds, tests}) {
    for (const Json& row : rows) {
      const bool gets = row.at("step") != "sdist" && row.at("compute") != "cpu";
      CAPTURE(row.dump());
      CHECK(row.value("secrets", Json::array()) ==
            (gets ? Json::array({"LICENSE_TOKEN"}) : Json::array()));
      CHECK(row.value("trusted", false) == gets);
    }
  }
}

TEST_CASE("a test that gets no secret is held back with the build that does") {
  const Example example(yaml("  python: [\"3.11\", \"3.12\"]\n") + R"(
abi: {python: none}
overrides:
  - when: {python: "3.11"}
    environment: {secrets: [LICENSE_TOKEN]}
)");
  const Json tests = example.rows(Rows::tests).at("include");
  for (const Json& row : tests) {
    CHECK(row.contains("secrets") == (row.at("python") == "3.11"));
    CHECK(row.at("trusted") == true);
  }
}

TEST_CASE("minutes and limits are those of earlier runs, else the matrix decides") {
  using std::chrono::minutes;
  const std::string day = two_computes() + "ci: {timeout: 24 h}\n";
  const Example never(day);
  const Json unmeasured = never.rows(Rows::builds).at("include");
  for (const Json& row : unmeasured) CHECK_FALSE(row.contains("limit"));
  const Example once(day, {{{"build:cu13", {minutes(40)}}, {"build:cpu", {minutes(2000)}}}});
  std::map<std::string, Json> rows;
  const Json builds = once.rows(Rows::builds).at("include");
  for (const Json& row : builds) rows[row.at("step")] = row;
  const int measured = rows.at("build:cu13").at("minutes");
  CHECK(measured >= 40);  // with its environments
  CHECK(measured <= 60);
  CHECK(rows.at("build:cu13").at("limit") == 3 * measured + 30);
  CHECK(rows.at("build:cpu").at("limit") == 24 * 60);
  CHECK_FALSE(rows.at("sdist").contains("limit"));
}

TEST_CASE("an axis with the name of a row's own key is an error") {
  const Example example(yaml("  python: [\"3.11\"]\n  step: [one, two]\n"));
  const Result<RowChunks> rows = row_chunks(
      example.plan, example.outline, example.expansion.variants, example.matrix.ci, Rows::tests);
  REQUIRE_FALSE(rows);
  CHECK(rows.error().kind == ErrorKind::config);
  CHECK(rows.error().message.find("`step`") != std::string::npos);
}

TEST_CASE("rows beyond the limit go into further chunks, none lost") {
  std::string flavors;
  for (int i = 0; i < 600; ++i) flavors += (i == 0 ? "f" : ", f") + std::to_string(i);
  const Example example(yaml("  python: [\"3.11\"]\n  flavor: [" + flavors + "]\n"));
  const Result<RowChunks> rows = row_chunks(
      example.plan, example.outline, example.expansion.variants, example.matrix.ci, Rows::tests);
  REQUIRE(rows);
  REQUIRE(rows->chunks.size() == 3);
  std::set<std::string> steps;
  for (int i = 1; i <= 3; ++i) {
    const std::string text = *chunk_of(*rows, {i});
    CHECK(text.size() < 1'000'000);
    const Json chunk = Json::parse(text);
    CHECK(chunk.at("chunks") == 3);
    CHECK(chunk.at("include").size() <= kGitHubRowLimit);
    for (const Json& row : chunk["include"]) steps.insert(row.at("step").get<std::string>());
  }
  CHECK(steps.size() == 600);
  for (const int none : {0, 4, -1}) {
    const Result<std::string> missing = chunk_of(*rows, {none});
    REQUIRE_FALSE(missing);
    CHECK(missing.error().kind == ErrorKind::usage);
  }
  // A workflow lists the chunks for which it was generated.
  CHECK(*chunk_of(*rows, {2, 3}) == *chunk_of(*rows, {2}));
  CHECK(Json::parse(*chunk_of(*rows, {5, 5})) == Json{{"include", Json::array()}, {"chunks", 3}});
  const Result<std::string> lost = chunk_of(*rows, {1, 2});
  REQUIRE_FALSE(lost);
  CHECK(lost.error().kind == ErrorKind::config);
  CHECK(lost.error().message == "the rows have 3 chunks, and only 2 are requested");
  CHECK(chunk_of(*rows, {4, 3}).error().kind == ErrorKind::usage);
}

TEST_CASE("a chunk is a number, or one of a number") {
  CHECK(parse_chunk("2")->number == 2);
  CHECK_FALSE(parse_chunk("2")->of);
  CHECK(parse_chunk("2/4")->of == 4);
  for (const char* wrong : {"", "x", "2/", "/4", "2/0", "2/4/6", "1.5"}) {
    CAPTURE(wrong);
    const Result<ChunkChoice> chunk = parse_chunk(wrong);
    REQUIRE_FALSE(chunk);
    CHECK(chunk.error().kind == ErrorKind::usage);
  }
}

TEST_CASE("a chunk ends before its bytes are too many") {
  std::string flavors;
  for (int i = 0; i < 200; ++i) {
    flavors += (i == 0 ? "" : ", ") + std::string(60, 'x') + std::to_string(i);
  }
  std::string attributes = "attributes: [note]\ninclude: [{python: \"3.11\", note: \"" +
                           std::string(20000, 'y') + "\"}]\n";
  const Example example(yaml("  python: [\"3.11\"]\n  flavor: [" + flavors + "]\n") + attributes);
  const Result<RowChunks> rows = row_chunks(
      example.plan, example.outline, example.expansion.variants, example.matrix.ci, Rows::tests);
  REQUIRE(rows);
  CHECK(rows->chunks.size() > 1);
  for (const std::string& chunk : rows->chunks) CHECK(chunk.size() <= kGitHubChunkBytes + 100);
}

TEST_CASE("the number and the contents of chunks do not depend on times") {
  std::string flavors;
  for (int i = 0; i < 250; ++i) flavors += (i == 0 ? "f" : ", f") + std::to_string(i);
  const std::string text =
      yaml("  python: [\"3.11\"]\n  compute: [cuda/13.0]\n  flavor: [" + flavors + "]\n") +
      "test: {hardware: gpu}\nci: {runners: {test: {\"cuda/*\": gpu}}, driver: \"" +
      std::string(3900, 'x') + "\"}\n";
  const auto steps_of = [&](plan::Durations durations) {
    const Example example(text, std::move(durations));
    const Result<RowChunks> rows = row_chunks(
        example.plan, example.outline, example.expansion.variants, example.matrix.ci, Rows::tests);
    REQUIRE(rows);
    std::vector<std::vector<std::string>> steps;
    for (const std::string& chunk : rows->chunks) {
      CHECK(chunk.size() <= kGitHubChunkBytes + 100);
      const Json parsed = Json::parse(chunk);
      steps.emplace_back();
      for (const Json& row : parsed.at("include")) steps.back().push_back(row.at("step"));
    }
    return steps;
  };
  auto never = steps_of({});
  // Known times correct guessed ones.
  auto once = steps_of({{{"test:cp311-cu130-f0", {std::chrono::minutes(1)}},
                         {"test:cp311-cu130-f1", {std::chrono::minutes(1)}},
                         {"test:cp311-cu130-f249", {std::chrono::minutes(2000)}}}});
  REQUIRE(never.size() == 7);
  CHECK(once.back().front() == "test:cp311-cu130-f249");
  CHECK(once.back() != never.back());
  for (auto* const chunks : {&never, &once}) {
    for (std::vector<std::string>& chunk : *chunks) std::ranges::sort(chunk);
  }
  CHECK(once == never);
}

TEST_CASE("a row that fits into no chunk is an error") {
  const Example example(yaml("  python: [\"3.11\"]\n") +
                        "attributes: [note]\ninclude: [{python: \"3.11\", note: \"" +
                        std::string(160'000, 'y') + "\"}]\n");
  const Result<RowChunks> rows = row_chunks(
      example.plan, example.outline, example.expansion.variants, example.matrix.ci, Rows::tests);
  REQUIRE_FALSE(rows);
  CHECK(rows.error().kind == ErrorKind::config);
  CHECK(rows.error().message.starts_with("the row of `test:cp311` has more than 160000 bytes"));
}
