#include "report/summary_charts.h"

#include <fmt/format.h>

#include "report/summary.h"
#include "unit/analysis/recorded_runs.h"
#include "unit/catch.h"
#include "unit/golden.h"

using namespace pinwheel;
using namespace std::chrono_literals;
using plan::StepState;
using tests::attempt;
using tests::executed;

namespace {

plan::StepOutcome test_of(const std::string& python, const std::string& compute, StepState state) {
  plan::StepOutcome outcome;
  outcome.id = "test:" + python + "-" + compute;
  outcome.axes = {{"python", python}, {"compute", compute}, {"torch", "2.11"}};
  outcome.state = state;
  return outcome;
}

}  // namespace

TEST_CASE("the heat map has the first axis as columns and the others as rows") {
  plan::Report report;
  report.outcomes = {test_of("3.11", "cpu", StepState::done),
                     test_of("3.12", "cpu", StepState::failed),
                     test_of("3.12", "cuda/13.0", StepState::skipped)};
  report.outcomes[0].evidence = plan::Evidence::ran;
  report.outcomes[0].attempts = 1;
  report.outcomes[0].elapsed = 12s;
  CHECK(report::heat_map_markdown(report) ==
        "| compute | python 3.11 | python 3.12 |\n"
        "|---|---|---|\n"
        "| cpu | 🟩 ran 12s | 🟥 failed |\n"
        "| cuda/13.0 |  | ⬜ skipped |\n");
  CHECK(report::summary_markdown({report}, {}).starts_with("### pinwheel\n\n| compute | python"));
  report.outcomes.resize(1);
  CHECK(report::heat_map_markdown(report).empty());
}

TEST_CASE("a run without tests shows its builds, tests on distributions their images") {
  plan::Report report;
  report.outcomes = {test_of("3.11", "cpu", StepState::done),
                     test_of("3.11", "cuda/13.0", StepState::blocked)};
  for (plan::StepOutcome& outcome : report.outcomes) outcome.id.replace(0, 4, "build");
  CHECK(report::heat_map_markdown(report).find("compute cuda/13.0") != std::string::npos);
  CHECK(report::heat_map_markdown(report).find("⬛ blocked") != std::string::npos);
  report.outcomes[0].id = "test:a";
  report.outcomes[1] = report.outcomes[0];
  report.outcomes[1].id = "test:a@debian";
  report.outcomes[1].axes.emplace_back("image", "debian:12");
  CHECK(report::heat_map_markdown(report) ==
        "|  | image  | image debian:12 |\n"
        "|---|---|---|\n"
        "|  | 🟩 done | 🟩 done |\n");
}

TEST_CASE("the timeline marks failures and the critical path, and names cannot end a bar") {
  auto repeated =
      executed("build:a;b:c\n", {}, {attempt("m", 0ms, 10ms), attempt("m", 10ms, 40ms)});
  const auto trace = analysis::merge_traces(
      {repeated, executed("test:a", {repeated.id}, {attempt("m", 40ms, 45ms)}),
       executed("test:b", {}, {attempt("m", 0ms, 5ms)})});
  CHECK(report::gantt_markdown(trace) ==
        "```mermaid\n"
        "gantt\n"
        "  dateFormat x\n"
        "  axisFormat %H:%M:%S\n"
        "  section build\n"
        "  build a b c  :crit, 1767323045000, 1767323045010\n"
        "  build a b c  attempt 2 :active, 1767323045010, 1767323045040\n"
        "  section test\n"
        "  test b :done, 1767323045000, 1767323045005\n"
        "  test a :active, 1767323045040, 1767323045045\n"
        "```\n"
        "\n"
        "Red: failed. Highlighted: on the critical path.\n");
  CHECK(report::gantt_markdown({}).empty());
}

TEST_CASE("names cannot end the timeline, or add anything to it") {
  // tests/system/mermaid_test.py draws the chart.
  std::vector<plan::StepOutcome> outcomes;
  for (const char* const name :
       {"</pre><script>alert(1)</script>", "x :crit, 0, 9999", "a\n  section fake\n  b",
        "%%{init: {}}%%", "click y href \"javascript:alert(1)\"", "title T", "#59; &lt;b&gt;",
        "```", "end",
        "\xe2\x80\xae"
        "abc",
        "\xff\xfe", "", "excludes weekends", "a; b", "<img src=x onerror=alert(2)>", "`${1}`"}) {
    outcomes.push_back(executed(fmt::format("build:{}", name), {}, {attempt("m", 0ms, 1000ms)}));
  }
  outcomes.back().state = plan::StepState::failed;
  const std::string chart = report::gantt_markdown(analysis::merge_traces(outcomes));
  CHECK(chart == testing::golden("tests/data/charts/hostile.md", chart));
}

TEST_CASE("only the longest attempts are in the timeline, and too large a heat map is left out") {
  std::vector<plan::StepOutcome> outcomes;
  for (int i = 0; i < 70; ++i) {
    outcomes.push_back(
        executed("build:" + std::to_string(i), {}, {attempt("m", 0ms, (i + 1) * 1ms)}));
    outcomes.back().axes = {{"python", std::to_string(i)}};
  }
  const std::string chart = report::gantt_markdown(analysis::merge_traces(outcomes));
  CHECK(chart.find("build 9 ") == std::string::npos);
  CHECK(chart.find("build 10 ") != std::string::npos);
  CHECK(chart.ends_with(" Without 10 shorter attempts.\n"));
  plan::Report report;
  report.outcomes = outcomes;
  CHECK(report::heat_map_markdown(report).empty());
  CHECK(report::summary_markdown({report}, {}).find("```mermaid\n") != std::string::npos);
}
