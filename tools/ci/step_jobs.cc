#include <fmt/format.h>

#include <utility>

#include "base/text.h"
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
@BEFORE@
@DEVICES@
@KEEP@
@FORK@
- name: @NAME@
  @CONDITION@
  uses: @ACTION@
  @SECRETS@
  with:
    matrix: @MATRIX@
    @ARGS@
@CHECKPOINT@
@RESULT@
@FAILURE@
)";

// A build that failed in the first job has no checkpoint, and one that finished has a result.
constexpr std::string_view kBefore = R"(
- name: See whether the build is unfinished
  id: before
  shell: bash
  env:
    ARTIFACT: ${{ matrix.artifact }}
  run: |
    run="$RUNNER_TEMP/pinwheel-run"
    for result in "$run"/in/result-"$ARTIFACT"-*; do [ ! -d "$result" ] || exit 0; done
    [ ! -d "$run/checkpoints/checkpoint.$ARTIFACT" ] || echo "unfinished=true" >> "$GITHUB_OUTPUT"
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

/// The job of a chain that continues builds: number `link` of `links`.
struct Link {
  size_t link = 1;
  size_t links = 1;
};

// A job succeeds even if its build is unfinished, as long as another job continues it.
std::string build_command(const WorkflowFacts& facts, const Link& at) {
  std::string command =
      fmt::format("build --plan {} --step '${{{{ matrix.step }}}}'", plan_argument());
  if (at.links == 1) return command;
  command += fmt::format(" --time-limit '${{{{ matrix.limit || {} }}}} min' --checkpoints {}",
                         job_limit(facts.settings), checkpoints_argument());
  return at.link < at.links ? command + " --unfinished-ok" : command;
}

std::string test_command() {
  return fmt::format("test --plan {} --step '${{{{ matrix.step }}}}' --reuse-only --gate",
                     plan_argument());
}

/// `if:` of a step, with all of the conditions that are not empty.
std::string step_condition(const std::vector<std::string>& conditions) {
  std::vector<std::string> stated;
  for (const std::string& each : conditions) {
    if (!each.empty()) stated.push_back(each);
  }
  if (stated.empty()) return {};
  if (stated.size() == 1) return "if: " + stated[0];
  for (std::string& each : stated) each = "(" + each + ")";
  return "if: " + join(stated, " && ");
}

/// The condition of steps that run code of the checkout with secrets; empty if there are none.
std::string trusted_condition(const WorkflowFacts& facts) {
  if (facts.secrets.empty()) return {};
  return fmt::format("matrix.trusted != true || {}", kNotFork);
}

/// The template places that the steps of builds and tests share.
Places common_places(const WorkflowFacts& facts) {
  return {{"CHECKOUT", checkout(facts)},
          {"PLAN", download_plan()},
          {"ACTION", facts.action},
          {"MATRIX", yaml_string(facts.matrix)},
          {"SECRETS", secrets_of(facts)},
          {"FORK", facts.secrets.empty() ? std::string() : filled(kFork, {})},
          {"FAILURE", upload_failure(facts, "${{ matrix.artifact }}")}};
}

/// The step that downloads the device code of a row's build; empty if no build is split.
std::string download_device_code(const WorkflowFacts& facts, const std::string& condition) {
  if (facts.device_chunks == 0) return {};
  return download_results("Download the device code", step_condition({"matrix.from", condition}),
                          "result-${{ matrix.from }}-*");
}

/// The placeholders in the steps of a build whose values depend on the job's position in a chain.
Places link_places(const WorkflowFacts& facts, const Link& at) {
  const bool last = at.link == at.links;
  const std::string trusted = trusted_condition(facts);
  const std::string later = at.link > 1 ? "steps.before.outputs.unfinished == 'true'" : "";
  const std::string condition = step_condition({trusted, later});
  std::string earlier_steps = earlier();
  std::string checkpoint;
  if (at.link > 1) {
    earlier_steps = download_results("Download the result of the jobs before", {},
                                     "result-${{ matrix.artifact }}-*");
  }
  if (at.links > 1) {
    earlier_steps += download_checkpoint();
    // The build of a rerun continues, too.
    const std::string ended = last ? "success() || failure()" : "";
    checkpoint = upload_checkpoint(facts, step_condition({ended, trusted, later}));
  }
  const MissingResult missing = last ? MissingResult::rejected : MissingResult::ignored;
  return {{"CONDITION", condition},
          {"EARLIER", earlier_steps},
          {"BEFORE", at.link > 1 ? filled(kBefore, {}) : std::string()},
          {"DEVICES", download_device_code(facts, later)},
          {"CHECKPOINT", checkpoint},
          {"RESULT", upload_result(facts, "${{ matrix.artifact }}", condition, missing)}};
}

std::string build_steps(const WorkflowFacts& facts, const std::string& id, const Link& at) {
  Places places = common_places(facts);
  for (auto& place : link_places(facts, at)) places.push_back(std::move(place));
  places.emplace_back("NAME", "Build");
  places.emplace_back("ARGS", args(build_command(facts, at), facts, Results::read_and_write));
  places.emplace_back("KEEP", own_lines("before-" + id));
  return filled(kBuildSteps, places);
}

std::string device_steps(const WorkflowFacts& facts, const std::string& id) {
  Places places = common_places(facts);
  const std::string condition = step_condition({trusted_condition(facts)});
  places.emplace_back("NAME", "Compile device code");
  places.emplace_back("CONDITION", condition);
  places.emplace_back("EARLIER", earlier());
  for (const char* const none : {"BEFORE", "DEVICES", "CHECKPOINT"}) places.emplace_back(none, "");
  places.emplace_back("ARGS", args(build_command(facts, {}), facts, Results::read_and_write));
  places.emplace_back("KEEP", own_lines("before-" + id));
  places.emplace_back(
      "RESULT", upload_result(facts, "${{ matrix.artifact }}", condition, MissingResult::ignored));
  return filled(kBuildSteps, places);
}

std::string test_steps(const WorkflowFacts& facts, const std::string& id) {
  Places places = common_places(facts);
  const std::string condition = step_condition({trusted_condition(facts)});
  places.emplace_back("CONDITION", condition);
  places.emplace_back("RESULT", upload_result(facts, "${{ matrix.artifact }}", condition));
  places.emplace_back("EARLIER", earlier());
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

/// A chunk of rows, and the job that lists it.
struct RowChunk {
  std::string kind;  ///< "device", "build", "test"
  size_t number = 1;
  std::string listed_by;
};

/// A job of a chunk, without condition and steps.
Job chunk_job(const WorkflowFacts& facts, const RowChunk& chunk, std::string because) {
  const std::string id =
      chunk.number == 1 ? chunk.kind : fmt::format("{}-{}", chunk.kind, chunk.number);
  Job job{id, id, std::move(because)};
  job.needs = {"plan"};
  if (chunk.listed_by != "plan") job.needs.push_back(chunk.listed_by);
  job.rows = fmt::format("needs.{}.outputs.{}s-{}", chunk.listed_by, chunk.kind, chunk.number);
  job.container = facts.settings.container.image;
  job.limit = job_limit(facts.settings);
  return job;
}

}  // namespace

std::vector<Job> device_jobs(const WorkflowFacts& facts) {
  std::vector<Job> jobs;
  for (size_t chunk = 1; chunk <= facts.device_chunks; ++chunk) {
    Job job = chunk_job(facts, {"device", chunk, device_lister(facts, chunk)},
                        "it has a row for each architecture of each split build");
    job.runner = JobRunner::of_devices;
    job.condition = has_rows(job);
    job.steps = device_steps(facts, job.id);
    jobs.push_back(std::move(job));
  }
  return jobs;
}

std::vector<Job> build_jobs(const WorkflowFacts& facts, const std::vector<Job>& devices) {
  std::vector<Job> jobs;
  for (size_t chunk = 1; chunk <= facts.build_chunks; ++chunk) {
    Job job = chunk_job(facts, {"build", chunk, lister(chunk)},
                        "it has a row for each distinct build and for the sdist");
    for (const Job& device : devices) job.needs.push_back(device.id);
    job.runner = JobRunner::of_builds;
    job.condition = has_rows(job);
    if (!devices.empty()) {
      // A build would compile what a failed job should have compiled. A job without rows is
      // skipped, which blocks no build.
      job.condition = "${{ !cancelled() && !failure() && " + job.condition + " }}";
    }
    const Job first = job;
    for (size_t link = 1; link <= facts.build_links; ++link) {
      if (link > 1) {
        const std::string before = job.id;
        job = first;
        job.id = job.name = fmt::format("{}-then-{}", first.id, link);
        job.because = "it continues the builds that outlast the job before";
        job.needs.push_back(before);
        // The failure of one build does not end the others.
        job.condition = fmt::format(
            "${{{{ !cancelled() && needs.plan.result == 'success' && {} }}}}", has_rows(first));
      }
      job.steps = build_steps(facts, job.id, {link, facts.build_links});
      jobs.push_back(job);
    }
  }
  return jobs;
}

std::vector<Job> test_jobs(const WorkflowFacts& facts, const std::vector<Job>& builds) {
  std::vector<Job> jobs;
  for (size_t chunk = 1; chunk <= facts.test_chunks; ++chunk) {
    Job job = chunk_job(facts, {"test", chunk, lister(chunk)},
                        "it has a row for each test that has a runner");
    for (const Job& build : builds) job.needs.push_back(build.id);
    job.runner = JobRunner::of_tests;
    job.condition = test_condition(facts, job);
    job.steps = test_steps(facts, job.id);
    jobs.push_back(std::move(job));
  }
  return jobs;
}

}  // namespace pinwheel::ci
