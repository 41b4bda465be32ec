#include <fmt/format.h>

#include <utility>

#include "ci/job_parts.h"
#include "ci/jobs.h"
#include "ci/pins.h"
#include "ci/yaml_text.h"

namespace pinwheel::ci {
namespace {

constexpr std::string_view kBuildSteps = R"(
@CHECKOUT@
@PLAN@
@EARLIER@
@KEEP@
@FORK@
- name: Build
  @CONDITION@
  uses: @ACTION@
  @SECRETS@
  with:
    matrix: @MATRIX@
    @ARGS@
@RESULT@
@FAILURE@
)";

constexpr std::string_view kTestSteps = R"(
@CHECKOUT@
@PLAN@
@BUILT@
@EARLIER@
@KEEP@
@FORK@
- name: Show what the runner has
  id: has
  # doctor fails if nothing can be built here, but a test builds nothing.
  continue-on-error: true
  uses: @ACTION@
  with:
    output: text
    args: doctor --json
@DRIVER@
- name: Test
  @CONDITION@
  uses: @ACTION@
  @SECRETS@
  with:
    matrix: @MATRIX@
    @ARGS@
@RESULT@
@FAILURE@
)";

// Downloads the results of earlier attempts. Steps that they finished are not repeated, so no step
// has two results.
std::string earlier() {
  return download_results("Download the result of an earlier attempt", "if: github.run_attempt > 1",
                          "result-${{ matrix.artifact }}-*");
}

// The command is the matrix file's own, as `build.command` is.
constexpr std::string_view kDriver = R"(
- name: Install the missing driver
  if: matrix.install-driver && !fromJSON(steps.has.outputs.text || '{"gpus":[]}').gpus[0]
  env:
    COMMAND: ${{ matrix.install-driver }}
  run: bash -euo pipefail -c "$COMMAND"
)";

constexpr std::string_view kFork = R"(
- name: Show why nothing runs
  if: matrix.trusted && github.event.pull_request.head.repo.fork == true
  run: echo "::notice::a pull request from a fork gets no secrets, and this step needs some"
)";

std::string build_command() {
  return fmt::format("build --plan {} --step '${{{{ matrix.step }}}}'", plan_argument());
}

std::string test_command() {
  return fmt::format("test --plan {} --step '${{{{ matrix.step }}}}' --reuse-only --gate",
                     plan_argument());
}

/// The template places that the steps of builds and tests share.
Places common_places(const WorkflowFacts& facts) {
  const bool secret = !facts.secrets.empty();
  const std::string condition =
      secret ? fmt::format("if: matrix.trusted != true || {}", kNotFork) : std::string();
  return {{"CHECKOUT", checkout(facts)},
          {"PLAN", download_plan()},
          {"ACTION", facts.action},
          {"MATRIX", yaml_string(facts.matrix)},
          {"SECRETS", secrets_of(facts)},
          {"FORK", secret ? filled(kFork, {}) : std::string()},
          {"CONDITION", condition},
          {"RESULT", upload_result(facts, "${{ matrix.artifact }}", condition)},
          {"FAILURE", upload_failure(facts, "${{ matrix.artifact }}")},
          {"EARLIER", earlier()}};
}

std::string build_steps(const WorkflowFacts& facts, const std::string& id) {
  Places places = common_places(facts);
  places.emplace_back("ARGS", args(build_command(), facts, Results::read_and_write));
  places.emplace_back("KEEP", own_lines("before-" + id));
  return filled(kBuildSteps, places);
}

std::string test_steps(const WorkflowFacts& facts, const std::string& id) {
  Places places = common_places(facts);
  places.emplace_back("ARGS", args(test_command(), facts, Results::read_and_write));
  places.emplace_back("KEEP", own_lines("before-" + id));
  places.emplace_back("BUILT", download_results("Download the result of its build", {},
                                                "result-${{ matrix.from }}-*"));
  places.emplace_back("DRIVER",
                      facts.settings.drivers.empty() ? std::string() : filled(kDriver, {}));
  return filled(kTestSteps, places);
}

/// In a pull request, no test starts after a failed build. Elsewhere the tests of the other builds
/// still run. A job of builds without rows is skipped, which blocks no test.
std::string test_condition(const WorkflowFacts& facts, const Job& job) {
  std::string when = has_rows(job);
  if (facts.set != WorkflowSet::ci) {
    return "${{ !cancelled() && needs.plan.result == 'success' && " + when + " }}";
  }
  if (facts.settings.forks == matrix::ForkJobs::build) when += fmt::format(" && {}", kNotFork);
  return "${{ !cancelled() && !failure() && " + when + " }}";
}

/// A job of a chunk of rows, without condition and steps.
Job chunk_job(const WorkflowFacts& facts, const std::string& kind, size_t chunk,
              std::string because) {
  const std::string id = chunk == 1 ? kind : fmt::format("{}-{}", kind, chunk);
  Job job{id, id, std::move(because)};
  job.needs = {"plan"};
  if (chunk != 1) job.needs.push_back(lister(chunk));
  job.rows = fmt::format("needs.{}.outputs.{}s-{}", lister(chunk), kind, chunk);
  job.container = facts.settings.container.image;
  job.limit = job_limit(facts.settings);
  return job;
}

}  // namespace

std::vector<Job> build_jobs(const WorkflowFacts& facts) {
  std::vector<Job> jobs;
  for (size_t chunk = 1; chunk <= facts.build_chunks; ++chunk) {
    Job job =
        chunk_job(facts, "build", chunk, "it has a row for each distinct build and for the sdist");
    job.runner = JobRunner::of_builds;
    job.condition = has_rows(job);
    job.steps = build_steps(facts, job.id);
    jobs.push_back(std::move(job));
  }
  return jobs;
}

std::vector<Job> test_jobs(const WorkflowFacts& facts, const std::vector<Job>& builds) {
  std::vector<Job> jobs;
  for (size_t chunk = 1; chunk <= facts.test_chunks; ++chunk) {
    Job job = chunk_job(facts, "test", chunk, "it has a row for each test that has a runner");
    for (const Job& build : builds) job.needs.push_back(build.id);
    job.runner = JobRunner::of_tests;
    job.condition = test_condition(facts, job);
    job.steps = test_steps(facts, job.id);
    jobs.push_back(std::move(job));
  }
  return jobs;
}

}  // namespace pinwheel::ci
