#include "report/live_status.h"

#include "fakes/recorded_log.h"
#include "report/json_status.h"
#include "unit/catch.h"

using namespace pinwheel;
using namespace std::chrono_literals;

TEST_CASE("the log has the outcome of each step and its files, in addition to the status") {
  std::string json;
  const auto log = std::make_shared<fakes::RecordedLog>();
  report::LoggedStatus status(
      std::make_unique<report::JsonStatus>([&json](std::string_view text) { json += text; }), log);
  plan::Plan plan;
  plan.steps.emplace_back().id = "build:a";
  status.plan_started(plan, 0);
  status.step_started(plan.steps[0], 1, 2);
  status.step_retry(plan.steps[0], {ErrorKind::transient, "busy"}, 5s);
  plan::StepOutcome outcome;
  outcome.id = "build:a";
  outcome.key = "k";
  outcome.outputs = {{"dist/a.whl", "abc", 12}};
  status.step_finished(outcome);
  status.summary({{outcome}, 3s});
  std::vector<std::string> names;
  for (const ports::LogEvent& event : log->events) names.push_back(event.name);
  CHECK(names == std::vector<std::string>{"run_started", "attempt_started", "attempt_repeats",
                                          "file_placed", "step_ended", "run_ended"});
  CHECK(fakes::value_of(log->events[3], "path") == ports::LogValue(std::string("dist/a.whl")));
  CHECK(fakes::value_of(log->events[4], "key") == ports::LogValue(std::string("k")));
  CHECK(json.find("step_finished") != std::string::npos);
}
