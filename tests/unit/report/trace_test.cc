#include "report/trace.h"

#include <map>
#include <nlohmann/json.hpp>

#include "report/trace_text.h"
#include "unit/analysis/recorded_runs.h"
#include "unit/catch.h"

using namespace pinwheel;
using namespace std::chrono_literals;
using tests::attempt;
using tests::executed;
using tests::random_run;

namespace {

size_t commands_in(const analysis::RunTrace& trace) {
  size_t count = 0;
  for (const analysis::TraceSlice& slice : trace.slices) count += slice.trace.commands.size();
  return count;
}

}  // namespace

TEST_CASE("events of random runs are in order, nest in their threads, and flows end in slices") {
  std::mt19937_64 random(7);
  for (int run = 0; run < 100; ++run) {
    const auto merged = analysis::merge_traces(random_run(random));
    const auto json = nlohmann::json::parse(report::chrome_trace(merged));
    int64_t last = 0;
    // The open slices of each thread, by their ends; flows by their number.
    std::map<std::pair<int64_t, int64_t>, std::vector<int64_t>> open;
    std::map<int64_t, std::vector<std::string>> flows;
    size_t steps = 0;
    size_t commands = 0;
    bool good = true;
    for (const auto& event : json.at("traceEvents")) {
      const std::string kind = event.at("ph");
      if (kind == "M") continue;
      const int64_t time = event.at("ts");
      good = good && time >= last;
      last = time;
      if (kind == "C") continue;
      auto& ends = open[{event.at("pid"), event.at("tid")}];
      while (!ends.empty() && ends.back() <= time) ends.pop_back();
      if (kind == "X") {
        const int64_t end = time + event.at("dur").get<int64_t>();
        good = good && end > time && (ends.empty() || end <= ends.back());
        if (event.at("cat") == "command") {
          good = good && ends.empty();
          ++commands;
        } else {
          steps += ends.empty() ? 1 : 0;
        }
        ends.push_back(end);
      } else {
        good = good && !ends.empty();
        flows[event.at("id")].push_back(kind);
      }
    }
    CHECK(good);
    CHECK(steps == merged.slices.size());
    CHECK(commands == commands_in(merged));
    CHECK(flows.size() == merged.flows.size());
    for (const auto& [number, kinds] : flows) CHECK(kinds == std::vector<std::string>{"s", "f"});
  }
}

TEST_CASE("parallel commands of an attempt are in lanes below its slot") {
  auto traced = attempt("m", 10ms, 100ms);
  const plan::TraceTime start = traced.ran->start;
  traced.commands = {{"a.o", plan::CommandKind::compile, {start, start + 40ms}},
                     {"b.o", plan::CommandKind::compile, {start + 10ms, start + 20ms}},
                     {"m.so", plan::CommandKind::link, {start + 40ms, start + 40ms}}};
  const auto json = nlohmann::json::parse(
      report::chrome_trace(analysis::merge_traces({executed("build:x", {}, {traced})})));
  std::map<int64_t, std::string> threads;
  std::map<std::string, std::string> lanes;
  for (const auto& event : json.at("traceEvents")) {
    if (event.at("name") == "thread_name") threads[event.at("tid")] = event.at("args").at("name");
    if (event.value("cat", "") == "command") lanes[event.at("name")] = threads.at(event.at("tid"));
    CHECK_FALSE(event.value("args", nlohmann::json::object()).contains("commands"));
  }
  CHECK(lanes == std::map<std::string, std::string>{{"a.o", "slot 1, command 1"},
                                                    {"b.o", "slot 1, command 2"},
                                                    {"m.so", "slot 1, command 1"}});
}

TEST_CASE("names from outside are only strings in the trace") {
  auto hostile = executed("build:<script>\"\n\xff", {}, {attempt("\"},{", 0ms, 1ms)});
  const std::string text = report::chrome_trace(analysis::merge_traces({hostile}));
  CHECK(nlohmann::json::parse(text).at("traceEvents").size() > 4);
  CHECK(nlohmann::json::parse(report::chrome_trace({})).at("traceEvents").empty());
}

TEST_CASE("the table and the JSON of a trace have a row for each attempt") {
  auto first = attempt("m", 0ms, 2s);
  first.waits = {{plan::WaitCause::slot, "", 1s},
                 {plan::WaitCause::pool, "upload", 1s},
                 {plan::WaitCause::slot, "", 1s}};
  first.cpu_time = 3s;
  first.peak_memory = 5'000'000;
  const auto trace =
      analysis::merge_traces({executed("build:a", {}, {first, attempt("m", 4s, 5s)})});
  CHECK(report::trace_table(trace, 0) ==
        "step                 state   start  time  cpu   memory  waited\n"
        "build:a              failed  0.0s   2.0s  3.0s  5.0 MB  3.0s for slot, upload\n"
        "build:a (attempt 2)  done    4.0s   1.0s\n");
  CHECK(report::trace_brief(trace, 0) ==
        "1 step: 1 done in 5.0s on 1 machine\n"
        "\n"
        "1 slot x 5.0s         time  share\n"
        "other build commands  3.0s  60.0%\n"
        "nothing to start      2.0s  40.0%\n"
        "\n"
        "critical path, 3.0s of 5.0s  time  could save\n"
        "build:a                      3.0s  3.0s\n"
        "\n" +
            report::trace_table(trace, 0));
  CHECK(report::trace_brief({}, 0).empty());
  const auto json = nlohmann::json::parse(report::trace_json(trace));
  CHECK(json.at("makespan_ms") == 5000);
  CHECK(json.at("critical_path").at("length_ms") == 3000);
  CHECK(json.at("critical_path").at("steps").at(0).at("saves_ms") == 3000);
  CHECK(json.at("slot_time").at("slots") == 1);
  CHECK(json.at("slot_time").at("spent_ms").at("build") == 3000);
  CHECK(json.at("machines").at(0).at("name") == "m");
  REQUIRE(json.at("attempts").size() == 2);
  CHECK(json.at("attempts").at(0).at("trace").at("cpu_ms") == 3000);
  CHECK_FALSE(json.at("attempts").at(1).at("trace").contains("cpu_ms"));
}

TEST_CASE("the brief report shows ten attempts and counts the others") {
  std::vector<plan::StepOutcome> outcomes;
  for (int i = 0; i < 12; ++i) {
    const std::chrono::milliseconds start = i * 1s;
    outcomes.push_back(
        executed("build:" + std::to_string(i), {}, {attempt("m", start, start + (i + 1) * 1ms)}));
  }
  const std::string text = report::trace_brief(analysis::merge_traces(outcomes), 0);
  CHECK(text.find("\nbuild:1 ") == std::string::npos);
  CHECK(text.find("\nbuild:2 ") != std::string::npos);
  CHECK(text.ends_with("\n`--all` shows 2 shorter attempts\n"));
}
