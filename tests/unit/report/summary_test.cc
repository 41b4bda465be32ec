#include "report/summary.h"

#include "unit/catch.h"

namespace pinwheel::report {
namespace {

using plan::StepState;

plan::StepOutcome outcome(const std::string& id, StepState state, const std::string& reason = {}) {
  plan::StepOutcome made;
  made.id = id;
  made.state = state;
  made.reason = reason;
  return made;
}

plan::Report report_of(std::vector<plan::StepOutcome> outcomes) {
  plan::Report report;
  report.outcomes = std::move(outcomes);
  return report;
}

TEST_CASE(
    "a run whose tests were all skipped says so in its title, its line and with the reasons") {
  const plan::Report report = report_of({outcome("build:a", StepState::reused),
                                         outcome("test:a", StepState::skipped, "no GPU here"),
                                         outcome("test:b", StepState::skipped, "no GPU here")});
  CHECK(untested(report) == "no test was run: 2 of 2 were skipped (no GPU here)");
  CHECK(summary_line(report).ends_with("1 reused, 2 skipped; no test was run\n"));
  const std::string markdown = summary_markdown({report}, {});
  CHECK(markdown.starts_with("### pinwheel: no test was run\n\nno test was run: 2 of 2"));
}

TEST_CASE("there is no remark for a run with an executed test, without tests, or that failed") {
  const plan::StepOutcome skipped = outcome("test:a", StepState::skipped, "no GPU here");
  CHECK_FALSE(untested(report_of({skipped, outcome("test:b", StepState::done)})));
  CHECK_FALSE(untested(report_of({skipped, outcome("test:b", StepState::reused)})));
  CHECK_FALSE(untested(report_of({outcome("build:a", StepState::done)})));
  plan::StepOutcome failed = outcome("build:a", StepState::failed);
  failed.error = Error{ErrorKind::step, "no"};
  CHECK_FALSE(untested(report_of({failed, skipped})));
  CHECK(summary_markdown({report_of({outcome("build:a", StepState::done)})}, {})
            .starts_with("### pinwheel\n\n|"));
}

TEST_CASE("the summary names derived files, the first ones, and none without any") {
  plan::StepOutcome built = outcome("build:a", StepState::reused);
  built.derivations = {{"b.whl", "a.whl", 3, {"METADATA"}}};
  CHECK(derivations_text(report_of({built})) ==
        "1 derived file, with the code of its source:\n"
        "  build:a: `b.whl` has the code of `a.whl`: 3 files identical, 1 rewritten\n");
  CHECK(summary_markdown({report_of({built})}, {})
            .find("#### 1 derived file\n\n- build:a: `b.whl` has the code of `a.whl`") !=
        std::string::npos);
  built.derivations.resize(12, built.derivations.front());
  const std::string many = derivations_text(report_of({built}));
  CHECK(many.starts_with("12 derived files, with the code of their sources:\n"));
  CHECK(many.ends_with("  and 2 more, which `--json` lists\n"));
  CHECK(derivations_text(report_of({outcome("test:a", StepState::done)})).empty());
}

}  // namespace
}  // namespace pinwheel::report
