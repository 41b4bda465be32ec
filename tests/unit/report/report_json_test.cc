#include "report/report_json.h"

#include "report/failure.h"
#include "report/summary.h"
#include "unit/catch.h"

using namespace pinwheel;

namespace {

plan::Report some_report() {
  plan::Report report;
  report.elapsed = std::chrono::seconds(3);
  report.outcomes.resize(2);
  report.outcomes[0].id = "build:cpu";
  report.outcomes[0].key = "k";
  report.outcomes[0].attempts = 2;
  report.outcomes[0].outputs = {{"a.whl", "ab", 5}};
  report.outcomes[1].id = "test:a|b";
  report.outcomes[1].state = plan::StepState::blocked;
  report.outcomes[1].reason = "`build:<cpu>`\nfailed";
  return report;
}

}  // namespace

TEST_CASE("a report survives its JSON form") {
  const std::string json = report::report_json(some_report());
  const Result<plan::Report> back = report::parse_report(json);
  REQUIRE(back);
  CHECK(report::report_json(*back) == json);
  CHECK(back->outcomes.at(0).outputs == some_report().outcomes[0].outputs);
  CHECK(back->elapsed == std::chrono::seconds(3));
}

TEST_CASE("a report of another schema is refused") {
  const auto other = report::parse_report(R"({"schema":"pinwheel-report/2"})");
  REQUIRE_FALSE(other);
  CHECK(other.error().kind == ErrorKind::config);
  CHECK(other.error().message ==
        "the report has schema `pinwheel-report/2`, expected `pinwheel-report/1`");
  CHECK_FALSE(report::parse_report("{}"));
  CHECK_FALSE(report::parse_report("no"));
}

TEST_CASE("the step summary is one Markdown table whatever the steps say") {
  CHECK(report::summary_markdown(some_report()) ==
        "### pinwheel\n\n"
        "| step | state | time | note |\n"
        "|---|---|---|---|\n"
        "| build:cpu | done | 0.0s | 1 file |\n"
        "| test:a\\|b | blocked |  | `build:&lt;cpu>` failed |\n"
        "\n2 steps in 3.0s: 1 done, 1 blocked\n");
}

TEST_CASE("a failure shows the nearest hint once") {
  plan::StepOutcome outcome;
  Error cause{ErrorKind::environment, "the compiler is missing"};
  cause.hint = "install g++";
  outcome.error = Error{ErrorKind::step, "the build failed"};
  outcome.error->hint = "read the log";
  outcome.error->causes = {cause};
  CHECK(report::failure_block(outcome, {}) ==
        "  error: the build failed\n"
        "  caused by: the compiler is missing\n"
        "  hint: install g++\n");
}
