#include "project/workflow.h"

#include "unit/catch.h"

namespace pinwheel::project {
namespace {

using Texts = std::vector<std::string>;

TEST_CASE("axes of every job, with rows that are included") {
  const auto read = parse_workflow(R"(
env: {CIBW_SKIP: "pp*"}
jobs:
  build:
    strategy:
      matrix:
        python-version: [3.10, "3.13t", pypy-3.10, 3.x, "3.12.4"]
        cuda: [cpu, "12.6.3", cu130]
        torch-version: ["2.10.0", nightly]
        exclude: [{python-version: "3.9"}]
        include: [{python-version: "3.14", os: ubuntu}]
    steps:
      - uses: pypa/cibuildwheel@v3
        env: {CIBW_TEST_COMMAND: pytest, CIBW_BUILD: "${{ matrix.python }}-*", OTHER: x}
  other: {strategy: {matrix: "${{ fromJson(x) }}"}}
)",
                                   "w.yml");
  REQUIRE(read);
  CHECK(read->pythons == Texts{"3.10", "3.13t", "3.12", "3.14"});
  CHECK(read->cudas == Texts{"12.6", "13.0"});
  CHECK(read->torches == Texts{"2.10"});
  CHECK(read->cibuildwheel == std::vector<std::pair<std::string, std::string>>{
                                  {"CIBW_SKIP", "pp*"}, {"CIBW_TEST_COMMAND", "pytest"}});
  CHECK(read->computed == Texts{"CIBW_BUILD"});
  CHECK(merged(*read, *read).pythons == read->pythons);
}

TEST_CASE("a workflow that stands for very much is left out") {
  std::string values = "x";
  for (int i = 0; i < 1000; ++i) values += ", CIBW_" + std::to_string(i) + ": v";
  std::string text = "env: &e {" + values + "}\njobs:\n";
  for (int i = 0; i < 200; ++i) text += "  j" + std::to_string(i) + ": {env: *e}\n";
  const auto multiplied = parse_workflow(text, "w.yml");
  REQUIRE_FALSE(multiplied);
  CHECK(multiplied.error().message == "`w.yml` has more than 100000 values, with its aliases");
  const auto large = parse_workflow(std::string(600'000, '['), "dir/w.yml");
  REQUIRE_FALSE(large);
  CHECK(large.error().message == "`w.yml` has 600000 bytes, more than 512000");
  std::string pythons = "jobs: {a: {strategy: {matrix: {python: [3.10";
  for (int i = 0; i < 5000; ++i) pythons += ", '3." + std::to_string(i) + "'";
  const auto many = parse_workflow(pythons + "]}}}}", "w.yml");
  REQUIRE(many);
  CHECK(many->pythons.size() == 1000);
}

TEST_CASE("a workflow that is none gives nothing, invalid YAML is an error") {
  CHECK(*parse_workflow("a", "w.yml") == Workflow{});
  CHECK(*parse_workflow("jobs: [1]", "w.yml") == Workflow{});
  CHECK(*parse_workflow("jobs: {a: {strategy: {matrix: {include: x, python: {a: b}}}}}", "w.yml") ==
        Workflow{});
  const auto broken = parse_workflow("a: [1", "d/w.yml");
  REQUIRE_FALSE(broken);
  CHECK(broken.error().kind == ErrorKind::config);
}

}  // namespace
}  // namespace pinwheel::project
