#include "analysis/duration_history.h"

#include "unit/catch.h"

namespace pinwheel::analysis {
namespace {

using namespace std::chrono_literals;

plan::StepOutcome timed(const std::string& id, const std::string& key,
                        std::chrono::milliseconds took) {
  plan::StepOutcome outcome;
  outcome.id = id;
  outcome.key = key;
  outcome.elapsed = took;
  return outcome;
}

TEST_CASE("the last ten durations of a step are the history, without results that were reused") {
  DurationHistory history;
  for (int i = 0; i < 12; ++i) {
    const std::string key = "key " + std::to_string(i);
    add_run({timed("build:a", key, 1000ms * (i + 1)), timed("build:b", "same", 7s)}, history);
  }
  REQUIRE(history.at("build:a").size() == 10);
  CHECK(history.at("build:a").front() == TimedResult{"key 2", 3s});
  CHECK(history.at("build:b") == std::vector<TimedResult>{{"same", 7s}});
  CHECK(durations_of(history).at("build:a").back() == 12s);
  CHECK(parse_durations(history_json(history), "f").value() == history);
}

TEST_CASE("a step that failed keeps its history, and one that is gone has none") {
  DurationHistory history = {{"build:a", {{"one", 1s}}}, {"build:gone", {{"two", 2s}}}};
  plan::StepOutcome failed = timed("build:a", "three", 9s);
  failed.state = plan::StepState::failed;
  add_run({failed}, history);
  CHECK(history == DurationHistory{{"build:a", {{"one", 1s}}}});
}

TEST_CASE("any other file is an error that names it") {
  for (const char* const text :
       {"", "[]", R"({"schema": "pinwheel-durations/2", "steps": {}})",
        R"({"schema": "pinwheel-durations/1"})",
        R"({"schema": "pinwheel-durations/1", "steps": {"a": [{"key": "b", "ms": "c"}]}})"}) {
    const auto read = parse_durations(text, "durations.json");
    REQUIRE_FALSE(read);
    CHECK(read.error().kind == ErrorKind::config);
    CHECK(read.error().message == "`durations.json` has no durations of earlier runs");
  }
}

}  // namespace
}  // namespace pinwheel::analysis
