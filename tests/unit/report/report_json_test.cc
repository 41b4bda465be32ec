#include "report/report_json.h"

#include "base/text.h"
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

report::RunReport failed_run() {
  report::RunReport run{some_report(), plan::RunOrigin{"0.1", "matrix.yaml", "c0ffee"}};
  run.report.outcomes[0].state = plan::StepState::failed;
  run.report.outcomes[0].error = Error{ErrorKind::step, R"(a "quoted" {word} & 'more')"};
  run.origin->steps = {{"build:cpu", {"c++", "-DX=\"a b\"", "<x>"}, {}}};
  return run;
}

}  // namespace

TEST_CASE("a report round-trips through JSON") {
  const std::string json = report::report_json({some_report()});
  const Result<report::RunReport> back = report::parse_report(json);
  REQUIRE(back);
  CHECK(report::report_json(*back) == json);
  CHECK(back->report.outcomes.at(0).outputs == some_report().outcomes[0].outputs);
  CHECK(back->report.elapsed == std::chrono::seconds(3));
  CHECK_FALSE(back->origin);
}

TEST_CASE("the inputs of a run round-trip with its report") {
  const Result<report::RunReport> back = report::parse_report(report::report_json(failed_run()));
  REQUIRE(back);
  REQUIRE(back->origin);
  CHECK(*back->origin == *failed_run().origin);
}

TEST_CASE("a report is found in its own JSON, in a summary and in a web page that shows one") {
  const std::string json = report::report_json(failed_run());
  const std::string markdown = report::summary_markdown(failed_run(), {});
  std::string page = "<html><pre>" + replace_all(markdown, "&", "&amp;") + "</pre>";
  page = replace_all(replace_all(page, "\"", "&quot;"), "'", "&#39;");
  for (const std::string& text : {json, markdown, page, "an earlier step\n" + markdown + "more"}) {
    INFO(text);
    const Result<report::RunReport> found = report::find_report(text, "f");
    REQUIRE(found);
    REQUIRE(found->origin);
    CHECK(*found->origin == *failed_run().origin);
    CHECK(report::failed_step(found->report, "") == "build:cpu");
  }
}

TEST_CASE("of several reports the last that failed is used") {
  report::RunReport later = failed_run();
  later.report.outcomes[0].id = "build:other";
  const std::string text = report::summary_markdown(failed_run(), {}) +
                           report::summary_markdown(later, {}) +
                           report::report_json({some_report()});
  const Result<report::RunReport> found = report::find_report(text, "f");
  REQUIRE(found);
  CHECK(found->report.outcomes[0].id == "build:other");
}

TEST_CASE("text without a report, or with another schema, is an error that names the file") {
  const auto none = report::find_report("### pinwheel\n", "summary.md");
  REQUIRE_FALSE(none);
  CHECK(none.error().message == "`summary.md` contains no report of a run");
  const auto other = report::find_report(R"(x {"schema": "pinwheel-report/1"} y)", "summary.md");
  REQUIRE_FALSE(other);
  CHECK(other.error().kind == ErrorKind::config);
  CHECK(other.error().message == "`summary.md` cannot be used");
  CHECK(other.error().causes.at(0).message ==
        "the report has schema `pinwheel-report/1`, expected `pinwheel-report/2`");
  // A truncated page.
  const std::string whole = report::report_json(failed_run());
  CHECK_FALSE(report::find_report(whole.substr(0, whole.size() / 2), "f"));
}

TEST_CASE("a report that nests without end is an error, not the end of the stack") {
  const std::string deep = std::string(400'000, '[') + std::string(400'000, ']');
  const std::string start = R"({"schema":"pinwheel-report/2","signal":0,"elapsed_ms":0,)";
  for (const std::string& text :
       {start + R"("outcomes":[)" + deep + "]}", start + R"("outcomes":[],"run":)" + deep + "}",
        start + R"("outcomes":[],"run":{"plan":)" + deep + "}}"}) {
    const auto found = report::find_report(text, "f");
    REQUIRE_FALSE(found);
    CHECK(found.error().kind == ErrorKind::config);
    CHECK(found.error().causes.at(0).message == "the report has more than 100 levels");
  }
}

TEST_CASE("a text that begins very many reports is read in the end") {
  std::string opened;
  std::string closed;
  std::string quotes;
  for (int i = 0; i < 60'000; ++i) {
    opened += R"({"pinwheel-report/)";
    closed += R"("pinwheel-report/":{)";
    quotes += R"("pinwheel-report/)";
  }
  for (const std::string& text : {opened, closed + std::string(60'000, '}'), quotes}) {
    const auto none = report::find_report(text, "f");
    REQUIRE_FALSE(none);
    CHECK(none.error().kind == ErrorKind::config);
  }
  // The last one counts, whatever precedes it.
  const auto found = report::find_report(opened + report::report_json(failed_run()), "f");
  REQUIRE(found);
  CHECK(found->report.outcomes[0].id == "build:cpu");
}

TEST_CASE("a failed step is selected by its id, by its variant, or is the first") {
  plan::Report report;
  report.outcomes.resize(3);
  report.outcomes[0].id = "env:a";
  report.outcomes[1].id = "test:cp311-cpu";
  report.outcomes[1].state = plan::StepState::failed;
  report.outcomes[2].id = "test:cp312-cpu";
  report.outcomes[2].state = plan::StepState::failed;
  CHECK(report::failed_step(report, "") == "test:cp311-cpu");
  CHECK(report::failed_step(report, "cp312-cpu") == "test:cp312-cpu");
  CHECK(report::failed_step(report, "test:cp312-cpu") == "test:cp312-cpu");
  CHECK(report::failed_step(report, "env:a").error().kind == ErrorKind::usage);
  CHECK(report::failed_step({}, "").error().message == "no step of that run failed");
}

TEST_CASE("a summary that is too large names the file instead") {
  report::RunReport large = failed_run();
  large.origin->toolchain.assign(600UL << 10, 'x');
  const std::string text = report::summary_markdown(large, {});
  CHECK(text.size() < 1000);
  CHECK(text.find("`--json`") != std::string::npos);
}

TEST_CASE("a report with another schema is rejected") {
  const auto other = report::parse_report(R"({"schema":"pinwheel-report/1"})");
  REQUIRE_FALSE(other);
  CHECK(other.error().kind == ErrorKind::config);
  CHECK(other.error().message ==
        "the report has schema `pinwheel-report/1`, expected `pinwheel-report/2`");
  CHECK_FALSE(report::parse_report("{}"));
  CHECK_FALSE(report::parse_report("no"));
}

TEST_CASE("the step summary is one Markdown table whatever the steps say") {
  CHECK(report::summary_markdown({some_report()}, {}) ==
        "### pinwheel\n\n"
        "| step | state | time | note |\n"
        "|---|---|---|---|\n"
        "| build:cpu | done | 0.0s | 1 file |\n"
        "| test:a\\|b | blocked |  | `build:&lt;cpu>` failed |\n"
        "\n2 steps in 3.0s: 1 done, 1 blocked\n");
}

TEST_CASE("the causes of failures come before the report that reproduces them") {
  const std::string text =
      report::summary_markdown(failed_run(), {{{"build:cpu"}, "no compiler\n", {}}});
  const size_t cause = text.find("\n#### `build:cpu` failed\n\n```text\nno compiler\n```\n");
  CHECK(cause != std::string::npos);
  CHECK(cause < text.find("To reproduce the failures"));
  CHECK(report::find_report(text, "f"));
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

TEST_CASE("a report of very many names is read in the end") {
  std::string text = "{";
  for (int i = 0; i < 100'000; ++i) text += "\"" + std::to_string(i) + "\":1,";
  text += "\"schema\":1}";
  CHECK_FALSE(report::parse_report(text));
}
