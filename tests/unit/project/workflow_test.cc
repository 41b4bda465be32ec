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
