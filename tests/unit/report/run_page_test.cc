#include "report/run_page.h"

#include <nlohmann/json.hpp>

#include "unit/catch.h"

using namespace pinwheel;
using namespace std::chrono_literals;
using plan::StepOutcome;
using plan::StepState;
using Json = nlohmann::ordered_json;

namespace {

const plan::TraceTime kStart = *plan::parse_trace_time("2026-01-02T03:04:05.000Z");

StepOutcome ended(const std::string& id, StepState state, std::vector<std::string> needs,
                  std::chrono::milliseconds from, std::chrono::milliseconds to) {
  StepOutcome outcome;
  outcome.id = id;
  outcome.key = "key of " + id;
  outcome.state = state;
  outcome.needs = std::move(needs);
  outcome.elapsed = to - from;
  outcome.attempts = 1;
  plan::AttemptTrace trace;
  trace.worker = "runner";
  trace.ran = plan::TraceSpan{kStart + from, kStart + to};
  outcome.trace = {trace};
  return outcome;
}

Json page_of(const std::vector<StepOutcome>& outcomes) {
  return report::run_page(outcomes, analysis::merge_traces(outcomes));
}

std::vector<StepOutcome> tested() {
  std::vector<StepOutcome> outcomes = {
      ended("env:0", StepState::done, {}, 0ms, 100ms),
      ended("build:cpu", StepState::done, {"env:0"}, 100ms, 700ms),
      ended("test:cp311-cpu", StepState::done, {"build:cpu", "env:0"}, 700ms, 900ms),
      ended("test:cp312-cpu", StepState::failed, {"build:cpu"}, 700ms, 1000ms)};
  outcomes[1].outputs = {{"demo-1.0-py3-none-any.whl", "00", 1234}};
  outcomes[2].axes = {{"python", "3.11"}, {"compute", "cpu"}};
  outcomes[2].evidence = plan::Evidence::ran;
  outcomes[3].axes = {{"python", "3.12"}, {"compute", "cpu"}};
  outcomes[3].error = Error{ErrorKind::step, "`pytest` ended with exit code 1"};
  return outcomes;
}

}  // namespace

TEST_CASE("a variant of the page has its place on the axes, its builds and its test") {
  const Json page = page_of(tested());
  CHECK(page["axes"] == Json::parse(R"([{"name": "python", "values": ["3.11", "3.12"]},
                                        {"name": "compute", "values": ["cpu"]}])"));
  CHECK(page["variants"] == Json::parse(R"([{"id": "cp311-cpu", "axes": [0, 0], "steps": [1, 2]},
                                            {"id": "cp312-cpu", "axes": [1, 0], "steps": [1, 3]}])"));
  CHECK(page["steps"][1]["outputs"][0]["size"] == 1234);
  CHECK(page["steps"][2]["evidence"] == "ran");
  CHECK(page["steps"][3]["again"] == "pinwheel reproduce test:cp312-cpu");
  CHECK(page["steps"][3]["shell"] == "pinwheel env shell --test cp312-cpu");
  // A step that did not fail can be repeated too.
  CHECK(page["steps"][1]["again"] == "pinwheel reproduce build:cpu");
  CHECK(page["steps"][1]["shell"] == "pinwheel env shell cpu");
  CHECK(page["steps"][0]["shell"] == "");
  CHECK(page_of({ended("publish:index", StepState::failed, {}, 0ms, 1ms)})["steps"][0]["again"] ==
        "");
  CHECK(page["steps"][3]["error"] == "`pytest` ended with exit code 1\n");
}

TEST_CASE("axes that only some variants have leave the others without a value") {
  std::vector<StepOutcome> outcomes = tested();
  outcomes[3].axes = {{"python", "3.12"}, {"image", "debian:12"}};
  const Json page = page_of(outcomes);
  CHECK(page["axes"].size() == 3);
  CHECK(page["variants"][0]["axes"] == Json({0, 0, -1}));
  CHECK(page["variants"][1]["axes"] == Json({1, -1, 0}));
}

TEST_CASE("a run without recorded axes has one, and without tests its builds are the variants") {
  std::vector<StepOutcome> outcomes = tested();
  outcomes.resize(2);
  const Json page = page_of(outcomes);
  CHECK(page["axes"] == Json::parse(R"([{"name": "variant", "values": ["cpu"]}])"));
  CHECK(page["variants"] == Json::parse(R"([{"id": "cpu", "axes": [0], "steps": [1]}])"));
}

TEST_CASE("times of the page begin at 0, and the classes of slot time fill all slots") {
  const Json page = page_of(tested());
  CHECK(page["begun"] == "2026-01-02T03:04:05.000Z");
  CHECK(page["attempts"][0]["start"] == 0);
  CHECK(page["attempts"][3]["end"] == 1000);
  CHECK(page["machines"][0]["slots"] == 2);
  int64_t sum = 0;
  for (const Json& one : page["slot_time"]["classes"]) sum += one["ms"].get<int64_t>();
  CHECK(sum == 2 * page["slot_time"]["makespan_ms"].get<int64_t>());
  const Json& critical = page["critical"];
  CHECK(critical["length_ms"] == 1000);
  CHECK(critical["steps"].size() == 3);
  CHECK(page["steps"][page["attempts"][critical["steps"][2]["first"].get<size_t>()]["step"]
                          .get<size_t>()]["id"] == "test:cp312-cpu");
}

TEST_CASE("a step that several jobs report is on the page once, as the job that executed it") {
  std::vector<StepOutcome> outcomes = tested();
  StepOutcome reused = outcomes[1];
  reused.state = StepState::reused;
  reused.attempts = 0;
  reused.trace = {};
  outcomes.insert(outcomes.begin(), reused);
  const Json page = page_of(outcomes);
  CHECK(page["steps"].size() == 4);
  CHECK(page["steps"][0]["id"] == "build:cpu");
  CHECK(page["steps"][0]["state"] == "done");
}

TEST_CASE("an empty run has an empty page") {
  const Json page = page_of({});
  CHECK(page["begun"].is_null());
  for (const char* const list : {"axes", "variants", "steps", "machines", "attempts"}) {
    CHECK(page[list] == Json::array());
  }
}

TEST_CASE("the history names steps whose outcomes differ with one key, and only these") {
  std::vector<run::RecordedRun> runs(3);
  for (size_t i = 0; i < runs.size(); ++i) {
    runs[i].name = "run " + std::to_string(i);
    runs[i].outcomes = tested();
  }
  runs[1].outcomes[3].state = StepState::done;
  // Another key, so another result is no surprise.
  runs[2].outcomes[2].state = StepState::failed;
  runs[2].outcomes[2].key = "new";
  const Json page = report::history_page(runs, 50);
  CHECK(page["flaky"] == Json::parse(R"([{"id": "test:cp312-cpu", "key": "key of test:cp312-cpu",
                         "states": ["failed", "done", "failed"]}])"));
  CHECK(page["runs"][0] == Json::parse(R"({"name": "run 0", "elapsed_ms": 1000, "steps": 4,
                                           "failed": 1, "reused": 0, "size": 1234,
                                           "hits": 0, "misses": 0})"));
  CHECK(report::history_page(runs, 2)["runs"].size() == 2);
  CHECK(report::history_page(runs, 2)["runs"][0]["name"] == "run 1");
}

TEST_CASE("a step that succeeded only when it was repeated is flaky") {
  run::RecordedRun run{"run", tested()};
  run.outcomes[2].attempts = 2;
  const Json page = report::history_page({run}, 50);
  CHECK(page["flaky"][0]["id"] == "test:cp311-cpu");
  CHECK(page["flaky"][0]["states"] == Json({"failed", "done"}));
}

TEST_CASE("an attempt of the page has its longest commands, and the history compiler caches") {
  std::vector<StepOutcome> outcomes = tested();
  plan::AttemptTrace& build = outcomes[1].trace[0];
  for (int64_t i = 1; i <= 30; ++i) {
    plan::TracedCommand command;
    command.output = std::to_string(i) + ".o";
    command.span = {kStart + 100ms, kStart + 100ms + std::chrono::milliseconds(i)};
    build.commands.push_back(command);
  }
  build.caches = {{"ccache", 7, 3}, {"conda", 20, 5}, {"pip", 9, 9}, {"sccache", 1, 0}};
  const Json page = page_of(outcomes);
  const Json& commands = page["attempts"][1]["commands"];
  REQUIRE(commands.size() == 20);
  CHECK(commands[0]["output"] == "30.o");
  CHECK(commands[0]["ms"] == 30);
  CHECK(commands[19]["output"] == "11.o");
  const Json history = report::history_page({{"run", outcomes}}, 50);
  CHECK(history["runs"][0]["hits"] == 8);
  CHECK(history["runs"][0]["misses"] == 3);
}
