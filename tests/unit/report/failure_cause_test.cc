#include "report/failure.h"

#include "report/error_lines.h"
#include "report/report_json.h"
#include "unit/catch.h"

using namespace pinwheel;

namespace {

plan::StepOutcome failed(const std::string& id, Error error) {
  plan::StepOutcome outcome;
  outcome.id = id;
  outcome.state = plan::StepState::failed;
  outcome.error = std::move(error);
  return outcome;
}

Error compile_error(const std::string& name) {
  return Error{ErrorKind::step, "building `" + name + "` failed: expected ';'",
               Location{"csrc/ops.cc", 12, 5, {}}};
}

Error broken_rule(const std::string& tag) {
  Error error{ErrorKind::check, "`a-1.0-" + tag + "-linux_x86_64.whl` violates 1 rule"};
  error.causes.push_back(
      {ErrorKind::check, "[symbols] `a/_C.so`: needs `frobnicate`", std::nullopt, "link it"});
  return error;
}

report::FailureFacts facts_of(const plan::StepOutcome& outcome) {
  return {{"1", "2", "3", "4", "5", "assert 1 == 2"}, "pinwheel reproduce URL " + outcome.id};
}

std::vector<report::FailureCause> three_causes() {
  plan::Report report;
  report.outcomes = {failed("build:cp311-cpu", compile_error("cp311-cpu")),
                     failed("build:cp312-cpu", broken_rule("cp312-cp312")),
                     failed("build:cp313-cpu", compile_error("cp313-cpu")),
                     failed("build:cp314-cpu", compile_error("cp314-cpu")),
                     failed("test:cp310-cpu", {ErrorKind::step, "the tests failed: exit code 1"})};
  report.outcomes.push_back(report.outcomes[0]);
  report.outcomes.back().state = plan::StepState::done;
  return report::failure_causes(report, facts_of);
}

}  // namespace

TEST_CASE("failures of one cause are printed once, with all their steps") {
  const std::vector<report::FailureCause> causes = three_causes();
  REQUIRE(causes.size() == 3);
  CHECK(causes[0].steps ==
        std::vector<std::string>{"build:cp311-cpu", "build:cp313-cpu", "build:cp314-cpu"});
  CHECK(causes[0].text ==
        "building `cp311-cpu` failed: expected ';' (csrc/ops.cc:12)\n"
        "the same in: build:cp313-cpu, build:cp314-cpu\n"
        "run this step again: pinwheel reproduce URL build:cp311-cpu\n");
  REQUIRE(causes[0].at);
  CHECK(causes[0].at->file == "csrc/ops.cc");
  CHECK(causes[1].text ==
        "`a-1.0-cp312-cp312-linux_x86_64.whl` violates 1 rule\n"
        "[symbols] `a/_C.so`: needs `frobnicate`\n"
        "hint: link it\n"
        "run this step again: pinwheel reproduce URL build:cp312-cpu\n");
  CHECK_FALSE(causes[1].at);
}

TEST_CASE("an error without its cause is printed with the end of the log") {
  CHECK(three_causes().at(2).text ==
        "the tests failed: exit code 1\n"
        "| 2\n| 3\n| 4\n| 5\n| assert 1 == 2\n"
        "run this step again: pinwheel reproduce URL test:cp310-cpu\n");
}

TEST_CASE("an annotation is at the line of its cause") {
  const std::vector<report::Annotation> annotations = report::annotations_of(three_causes());
  REQUIRE(annotations.size() == 3);
  CHECK(report::github_annotation(annotations[0])
            .starts_with("::error file=csrc/ops.cc,line=12,col=5,title=build%3Acp311-cpu and 2 "
                         "more failed::building "));
  CHECK(annotations[1].title == "build:cp312-cpu failed");
  CHECK(annotations[1].message.find("[symbols]") != std::string::npos);
  CHECK_FALSE(annotations[1].message.ends_with("\n"));
}

TEST_CASE("of more causes than GitHub shows the last annotation counts the rest") {
  std::vector<report::FailureCause> many(10, report::FailureCause{{"build:a", "build:b"}, "x\n"});
  CHECK(report::annotations_of(many).size() == 10);
  many.resize(13, many[0]);
  const std::vector<report::Annotation> annotations = report::annotations_of(many);
  REQUIRE(annotations.size() == 10);
  CHECK(annotations[0].title == "build:a and build:b failed");
  CHECK(annotations[9].title == "4 more causes");
}

TEST_CASE("the causes in a summary stay in their code block") {
  const std::vector<report::FailureCause> causes = {{{"test:a"}, "a ```` b\x1b[2J\n"}};
  CHECK(report::causes_markdown(causes) ==
        "\n#### `test:a` failed\n\n`````text\na ```` b\\x1b[2J\n`````\n");
  CHECK(report::causes_markdown({}).empty());
  CHECK(report::error_markdown({ErrorKind::config, "no", std::nullopt, "say `x`"}) ==
        "### pinwheel\n\n```text\nno\nhint: say `x`\n```\n");
}

TEST_CASE("equal hints are printed once, and only the first of many causes") {
  Error error{ErrorKind::check, "not complete", std::nullopt, "run them"};
  for (int i = 0; i < 12; ++i) {
    error.causes.push_back({ErrorKind::check, "no " + std::to_string(i), std::nullopt, "run them"});
  }
  const std::string text = report::error_lines(error);
  CHECK(text.starts_with("not complete\nno 0\nhint: run them\nno 1\n"));
  CHECK(text.ends_with("no 9\nand 2 more\n"));
  CHECK_FALSE(report::place_of(error));
  error.causes[3].at = Location{"a.yaml", 3, 1, {}};
  CHECK(report::place_of(error)->line == 3);
}

TEST_CASE("the report is where the run keeps its summaries") {
  std::map<std::string, std::string> variables = {{"GITHUB_SERVER_URL", "https://git.example"},
                                                  {"GITHUB_REPOSITORY", "me/ops"},
                                                  {"GITHUB_RUN_ID", "77"},
                                                  {"GITHUB_STEP_SUMMARY", "/s"}};
  CHECK(report::report_address(variables) == "https://git.example/me/ops/actions/runs/77");
  variables["GITHUB_RUN_ATTEMPT"] = "2";
  CHECK(report::report_address(variables) ==
        "https://git.example/me/ops/actions/runs/77/attempts/2");
  for (const auto& [name, value] : variables) {
    if (name == "GITHUB_RUN_ATTEMPT") continue;
    std::map<std::string, std::string> without = variables;
    without.erase(name);
    CHECK(report::report_address(without).empty());
  }
}
