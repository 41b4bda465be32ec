#include "report/summary.h"

#include "unit/catch.h"

using namespace pinwheel;
using namespace pinwheel::report;

namespace {

plan::StepOutcome built(const std::string& id, std::vector<std::string> warnings) {
  plan::StepOutcome outcome;
  outcome.id = id;
  outcome.warnings = std::move(warnings);
  return outcome;
}

plan::Report run_with(std::vector<plan::StepOutcome> outcomes) {
  plan::Report report;
  report.outcomes = std::move(outcomes);
  return report;
}

}  // namespace

TEST_CASE("equal warnings of several steps are one, also of steps that were reused") {
  plan::StepOutcome reused = built("build:b", {"no torch", "large"});
  reused.state = plan::StepState::reused;
  const std::vector<StepWarning> warnings =
      step_warnings(run_with({built("build:a", {"no torch"}), reused, built("test:a", {})}));
  REQUIRE(warnings.size() == 2);
  CHECK(warnings[0].steps == std::vector<std::string>{"build:a", "build:b"});
  CHECK(warnings[0].text == "no torch");
  CHECK(warnings[1].steps == std::vector<std::string>{"build:b"});
  CHECK(warnings_text(warnings) ==
        "2 warnings:\n  build:a and build:b: no torch\n  build:b: large\n");
  CHECK(warnings_text({}).empty());
}

TEST_CASE("a summary has every warning between its table and its last line") {
  const plan::Report report = run_with({built("build:a", {"no \x1b torch | <b>"})});
  CHECK(summary_table(report) ==
        "step     state  time  note\n"
        "build:a  done\n"
        "1 warning:\n"
        "  build:a: no \\x1b torch | <b>\n"
        "1 step in 0.0s: 1 done\n");
  const std::string markdown = summary_markdown({report}, {});
  CHECK(markdown.find("\n#### 1 warning\n\n- build:a: no \x1b torch \\| &lt;b>\n") !=
        std::string::npos);
}

TEST_CASE("each warning is an annotation, and the last of many states their number") {
  std::vector<StepWarning> warnings = {{{"build:a", "build:b"}, "no torch"}};
  std::vector<Annotation> shown = annotations_of(warnings);
  REQUIRE(shown.size() == 1);
  CHECK(shown[0].level == AnnotationLevel::warning);
  CHECK(shown[0].title == "build:a and build:b");
  CHECK(shown[0].message == "no torch");
  for (int i = 0; i < 11; ++i) warnings.push_back({{"build:a"}, std::to_string(i)});
  shown = annotations_of(warnings);
  REQUIRE(shown.size() == 10);
  CHECK(shown[9].title == "3 more warnings");
}
