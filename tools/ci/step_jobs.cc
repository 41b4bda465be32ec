#include <fmt/format.h>

#include "base/text.h"
#include "ci/job_parts.h"
#include "ci/jobs.h"
#include "ci/pins.h"
#include "ci/yaml_text.h"

namespace pinwheel::ci {
namespace {

// GitHub rejects an empty matrix, so a job without rows is skipped. Each row has a step.
constexpr std::string_view kBuildJob = R"(
  @ID@:
    name: ${{ matrix.name }}
    needs: [@NEEDS@]
    if: contains(needs.@LISTER@.outputs.builds-@CHUNK@, '"step"')
    runs-on: ${{ matrix.runner }}
    @CONTAINER@
    timeout-minutes: ${{ matrix.limit || @MINUTES@ }}
    strategy:
      fail-fast: false
      matrix:
        include: ${{ fromJSON(needs.@LISTER@.outputs.builds-@CHUNK@).include }}
    steps:
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
)";

constexpr std::string_view kTestJob = R"(
  @ID@:
    name: ${{ matrix.name }}
    needs: [@NEEDS@]
    if: @WHEN@
    runs-on: ${{ matrix.runner }}
    @CONTAINER@
    timeout-minutes: ${{ matrix.limit || @MINUTES@ }}
    strategy:
      fail-fast: false
      matrix:
        include: ${{ fromJSON(needs.@LISTER@.outputs.tests-@CHUNK@).include }}
    steps:
      @CHECKOUT@
      @PLAN@
      @BUILT@
      @EARLIER@
      @KEEP@
      @FORK@
      - name: Say what the runner has
        id: has
        # It fails where nothing can be built, and a test builds nothing.
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
)";

// What an earlier attempt finished is not done again, so no step has two results.
std::string earlier() {
  return take_results("Take the result of an earlier attempt", "if: github.run_attempt > 1",
                      "result-${{ matrix.artifact }}-*");
}

// The command is the matrix file's own, as `build.command` is.
constexpr std::string_view kDriver = R"(
- name: Install the driver that the runner lacks
  if: matrix.install-driver && !fromJSON(steps.has.outputs.text || '{"gpus":[]}').gpus[0]
  env:
    COMMAND: ${{ matrix.install-driver }}
  run: bash -euo pipefail -c "$COMMAND"
)";

constexpr std::string_view kFork = R"(
- name: Say why nothing runs
  if: matrix.trusted && github.event.pull_request.head.repo.fork == true
  run: echo "::notice::a pull request from a fork gets no secrets, and this step needs some"
)";

constexpr std::string_view kKeepResult = R"(
- name: Keep the result
  @CONDITION@
  uses: @UPLOAD@
  with:
    name: result-${{ matrix.artifact }}-${{ github.run_attempt }}
    path: @PLACE@
    if-no-files-found: ${{ github.run_attempt > 1 && 'ignore' || 'error' }}
    compression-level: 0
    @RETENTION@
)";

std::string build_command() {
  return fmt::format("build --plan {} --step '${{{{ matrix.step }}}}'", plan_argument());
}

std::string test_command() {
  return fmt::format("test --plan {} --step '${{{{ matrix.step }}}}' --reuse-only --gate",
                     plan_argument());
}

std::string id_of(std::string_view kind, size_t chunk) {
  return chunk == 1 ? std::string(kind) : fmt::format("{}-{}", kind, chunk);
}

/// The places that builds and tests share.
Places common(const WorkflowFacts& facts, WorkflowSet set, size_t chunk) {
  const bool secret = !facts.secrets.empty();
  const std::string condition =
      secret ? fmt::format("if: matrix.trusted != true || {}", kNotFork) : std::string();
  return {{"CHUNK", std::to_string(chunk)},
          {"LISTER", lister(chunk)},
          {"MINUTES", minutes_of(facts)},
          {"CONTAINER", container_of(facts)},
          {"CHECKOUT", checkout(facts, set)},
          {"PLAN", take_plan()},
          {"ACTION", facts.action},
          {"MATRIX", yaml_string(facts.matrix)},
          {"SECRETS", secrets_of(facts)},
          {"FORK", secret ? filled(kFork, {}) : std::string()},
          {"CONDITION", condition},
          {"RESULT", filled(kKeepResult, {{"CONDITION", condition},
                                          {"UPLOAD", pinned("actions/upload-artifact")},
                                          {"PLACE", kLeftResults},
                                          {"RETENTION", retention_of(facts, set)}})},
          {"EARLIER", earlier()}};
}

/// Builds come first, and a failed one ends a pull request early; elsewhere the tests of the others
/// are still worth their time. A job of builds that has no rows is skipped, which holds nothing
/// back.
std::string when_of(const WorkflowFacts& facts, WorkflowSet set, size_t chunk) {
  std::string when =
      fmt::format("contains(needs.{}.outputs.tests-{}, '\"step\"')", lister(chunk), chunk);
  if (set != WorkflowSet::ci) {
    return "${{ !cancelled() && needs.plan.result == 'success' && " + when + " }}";
  }
  if (facts.settings.forks == matrix::ForkJobs::build) when += fmt::format(" && {}", kNotFork);
  return "${{ !cancelled() && !failure() && " + when + " }}";
}

}  // namespace

std::vector<std::string> job_ids(std::string_view kind, size_t chunks) {
  std::vector<std::string> ids;
  for (size_t chunk = 1; chunk <= chunks; ++chunk) ids.push_back(id_of(kind, chunk));
  return ids;
}

std::string build_jobs(const WorkflowFacts& facts, WorkflowSet set) {
  std::string text;
  for (size_t chunk = 1; chunk <= facts.build_chunks; ++chunk) {
    Places places = common(facts, set, chunk);
    places.emplace_back("ID", id_of("build", chunk));
    places.emplace_back("ARGS", args(build_command(), facts, set, Results::take_and_leave));
    places.emplace_back("NEEDS", join(listers(chunk), ", "));
    places.emplace_back("KEEP", keep(fmt::format("before-{}", id_of("build", chunk))));
    text += "\n" + filled(kBuildJob, places);
  }
  return text;
}

std::string test_jobs(const WorkflowFacts& facts, WorkflowSet set) {
  std::string text;
  for (size_t chunk = 1; chunk <= facts.test_chunks; ++chunk) {
    Places places = common(facts, set, chunk);
    places.emplace_back("ID", id_of("test", chunk));
    places.emplace_back("ARGS", args(test_command(), facts, set, Results::take_and_leave));
    places.emplace_back("KEEP", keep(fmt::format("before-{}", id_of("test", chunk))));
    places.emplace_back("NEEDS", join(listers(chunk), ", ") + ", " +
                                     join(job_ids("build", facts.build_chunks), ", "));
    places.emplace_back(
        "BUILT", take_results("Take the result of its build", {}, "result-${{ matrix.from }}-*"));
    places.emplace_back("WHEN", when_of(facts, set, chunk));
    places.emplace_back("DRIVER",
                        facts.settings.drivers.empty() ? std::string() : filled(kDriver, {}));
    text += "\n" + filled(kTestJob, places);
  }
  return text;
}

}  // namespace pinwheel::ci
