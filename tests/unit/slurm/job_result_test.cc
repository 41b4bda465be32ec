#include "slurm/job_result.h"

#include <fmt/format.h>

#include "unit/catch.h"

namespace pinwheel::slurm {
namespace {

std::string result_text(const std::string& report, int code = 0) {
  return fmt::format(R"({{"schema":"pinwheel-job/1","token":"ab","exit_code":{},"report":{}}})",
                     code, report);
}

}  // namespace

TEST_CASE("a job's result has the outcome of its step, whatever else it ran") {
  plan::StepOutcome environment;
  environment.id = "env:1";
  plan::StepOutcome build;
  build.id = "build:a";
  build.state = plan::StepState::failed;
  build.error = Error{ErrorKind::step, "it failed"};
  const std::string report = fmt::format(
      R"({{"outcomes":[{},{}]}})", plan::outcome_json(environment), plan::outcome_json(build));
  const Result<JobResult> result = parse_job_result(result_text(report, 1), "ab", "build:a");
  REQUIRE(result);
  CHECK(result->exit_code == 1);
  REQUIRE(result->outcome);
  CHECK(result->outcome->id == "build:a");
  CHECK(result->outcome->error->message == "it failed");
}

TEST_CASE("the result of a step that did not start is read like one of a job") {
  plan::StepOutcome outcome;
  outcome.id = "build:a";
  outcome.state = plan::StepState::failed;
  outcome.error = Error{ErrorKind::timeout, "too late"};
  const Result<JobResult> result = parse_job_result(result_json("ab", 1, outcome), "ab", "build:a");
  REQUIRE(result);
  CHECK(result->exit_code == 1);
  REQUIRE(result->outcome);
  CHECK(result->outcome->state == plan::StepState::failed);
  CHECK(result->outcome->error->kind == ErrorKind::timeout);
}

TEST_CASE("a job that ran nothing has no outcome") {
  const Result<JobResult> result = parse_job_result(result_text("null", 5), "ab", "build:a");
  REQUIRE(result);
  CHECK(result->exit_code == 5);
  CHECK_FALSE(result->outcome);
}

TEST_CASE("the result of another job, and a torn one, are not used") {
  CHECK_FALSE(parse_job_result(result_text("null"), "cd", "build:a"));
  const std::string text = result_text("null");
  for (size_t length = 0; length < text.size(); ++length) {
    CHECK_FALSE(parse_job_result(text.substr(0, length), "ab", "build:a"));
  }
}

TEST_CASE("a claim is read back") {
  const Result<JobClaim> claim = parse_claim(claim_json({"abc", 7, 1767323045}));
  REQUIRE(claim);
  CHECK(claim->submission == "abc");
  CHECK(claim->index == 7);
  CHECK(claim->seconds == 1767323045);
  CHECK(claim->allocation.empty());
  const Result<JobClaim> step = parse_claim(claim_json({"abc", 7, 1767323045, "17", "n1", 4321}));
  REQUIRE(step);
  CHECK(step->allocation == "17");
  CHECK(step->host == "n1");
  CHECK(step->process == 4321);
  CHECK_FALSE(parse_claim(""));
}

}  // namespace pinwheel::slurm
