#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "ci/idle.h"
#include "ci/job_parts.h"
#include "ci/jobs.h"
#include "ci/pins.h"
#include "ci/yaml_text.h"

namespace pinwheel::ci {
namespace {

constexpr std::string_view kPlanJob = R"(
  plan:
    name: plan
    runs-on: ubuntu-24.04
    @CONTAINER@
    timeout-minutes: 30
    outputs:
      @OUTPUTS@
    steps:
      @CHECKOUT@
      @STARTED@
      - name: Take the plan of the first attempt
        id: earlier
        if: github.run_attempt > 1
        continue-on-error: true
        uses: @DOWNLOAD@
        with:
          name: plan
          path: @PLACE@
      @KEEP@
      @PATHS@
      @UPSTREAM@
      @EMULATE@
      - name: Freeze the plan
        if: steps.earlier.outcome != 'success'@AND@
        uses: @ACTION@
        with:
          matrix: @MATRIX@
          args: @FREEZE@
      @COMPARE@
      @ROWS@
      - name: Keep the plan
        @CONDITION@
        uses: @UPLOAD@
        with:
          name: plan
          path: @FILE@
          if-no-files-found: error
          overwrite: true
          @RETENTION@
)";

// Whether an environment has such a rule, a job cannot see.
constexpr std::string_view kStarted = R"(
- name: Say what protected environments look at
  if: inputs.tag && github.ref != format('refs/tags/{0}', inputs.tag)
  run: echo '::warning::environments look at the branch that this run was started from, and not at the tag; where they allow only tags, start it with the tag under "Use workflow from"'
)";

// A new release of torch is a notice. An unreachable index must not fail the nightly.
constexpr std::string_view kUpstream = R"(
- name: Compare the axes with what there is upstream
  continue-on-error: true
  uses: @ACTION@
  with:
    matrix: @MATRIX@
    args: @ARGS@
)";

// The packages of an environment are resolved in its container.
constexpr std::string_view kEmulate = R"(
- name: Run containers of other architectures
  run: sudo apt-get -o DPkg::Lock::Timeout=600 update && sudo apt-get -o DPkg::Lock::Timeout=600 install -y qemu-user-static binfmt-support
)";

constexpr std::string_view kRows = R"(
- name: @NAME@
  id: @ID@
  @CONDITION@
  uses: @ACTION@
  with:
    output: text
    args: plan --plan @FILE@ --format github --stage @STAGE@ --chunk @CHUNK@/@CHUNKS@
)";

// The outputs of one job would not hold all rows.
constexpr std::string_view kListJob = R"(
  @ID@:
    name: @NAME@
    needs: [plan]
    @WHEN@
    runs-on: ubuntu-24.04
    @CONTAINER@
    timeout-minutes: 30
    outputs:
      @OUTPUTS@
    steps:
      @CHECKOUT@
      @PLAN@
      @ROWS@
)";

/// `if:` of a step that an idle run passes over.
std::string unless_idle(const WorkflowFacts& facts, WorkflowSet set) {
  return may_be_idle(facts, set) ? fmt::format("if: {}", kNotIdle) : std::string();
}

/// What a person should know who has started a release by hand, before everything is built.
std::string started_of(const WorkflowFacts& facts, WorkflowSet set) {
  const bool guarded = std::ranges::any_of(
      facts.publish, [](const PublishJob& job) { return !job.environment.empty(); });
  return set == WorkflowSet::release && guarded ? filled(kStarted, {}) : std::string();
}

std::string upstream_of(const WorkflowFacts& facts, WorkflowSet set) {
  if (set != WorkflowSet::nightly) return {};
  const std::string args = fmt::format("plan {} --upstream", shell_quote(facts.matrix));
  return filled(kUpstream, {{"ACTION", facts.action},
                            {"MATRIX", yaml_string(facts.matrix)},
                            {"ARGS", yaml_string(args)}});
}

/// The stages of a chunk, each with how many chunks it has.
std::vector<std::pair<std::string, size_t>> stages_of(const WorkflowFacts& facts, size_t chunk) {
  std::vector<std::pair<std::string, size_t>> stages;
  if (chunk <= facts.build_chunks) stages.emplace_back("build", facts.build_chunks);
  if (chunk <= facts.test_chunks) stages.emplace_back("test", facts.test_chunks);
  return stages;
}

/// The steps that list the rows of a chunk. An idle run comes no further than the job `plan`.
std::string rows_of(const WorkflowFacts& facts, size_t chunk, const std::string& condition) {
  std::string text;
  for (const auto& [stage, chunks] : stages_of(facts, chunk)) {
    text += filled(kRows, {{"NAME", fmt::format("List the {}s, part {}", stage, chunk)},
                           {"ID", fmt::format("{}s-{}", stage, chunk)},
                           {"CONDITION", condition},
                           {"ACTION", facts.action},
                           {"FILE", plan_argument()},
                           {"STAGE", stage},
                           {"CHUNK", std::to_string(chunk)},
                           {"CHUNKS", std::to_string(chunks)}});
  }
  return text;
}

/// Their outputs. Without rows there are no jobs.
std::string outputs_of(const WorkflowFacts& facts, size_t chunk, std::string_view otherwise) {
  std::string text;
  for (const auto& [stage, chunks] : stages_of(facts, chunk)) {
    text += fmt::format("{0}s-{1}: ${{{{ steps.{0}s-{1}.outputs.text{2} }}}}\n", stage, chunk,
                        otherwise);
  }
  return text;
}

/// `list-2`, ...: the rows that have no place in the outputs of `plan`.
std::string list_jobs(const WorkflowFacts& facts, WorkflowSet set) {
  std::string text;
  for (size_t chunk = 2; chunk <= std::max(facts.build_chunks, facts.test_chunks); ++chunk) {
    text +=
        "\n" +
        filled(kListJob,
               {{"ID", lister(chunk)},
                {"NAME", fmt::format("list part {}", chunk)},
                {"WHEN", may_be_idle(facts, set) ? "if: needs.plan.outputs.idle != 'true'" : ""},
                {"CONTAINER", container_of(facts)},
                {"OUTPUTS", outputs_of(facts, chunk, "")},
                {"CHECKOUT", checkout(facts, set)},
                {"PLAN", take_plan()},
                {"ROWS", rows_of(facts, chunk, {})}});
  }
  return text;
}

}  // namespace

std::string lister(size_t chunk) {
  return chunk == 1 ? "plan" : fmt::format("list-{}", chunk);
}

std::vector<std::string> listers(size_t chunk) {
  if (chunk == 1) return {"plan"};
  return {"plan", lister(chunk)};
}

std::vector<std::string> further_listers(const WorkflowFacts& facts) {
  std::vector<std::string> ids;
  for (size_t chunk = 2; chunk <= std::max(facts.build_chunks, facts.test_chunks); ++chunk) {
    ids.push_back(lister(chunk));
  }
  return ids;
}

std::string plan_jobs(const WorkflowFacts& facts, WorkflowSet set) {
  std::string freeze = "plan " + shell_quote(facts.matrix);
  if (!facts.channel.empty()) freeze += " --channel " + facts.channel;
  if (!facts.engine.empty()) freeze += " --engine " + facts.engine;
  freeze += " --out " + plan_argument();
  const bool idle = may_be_idle(facts, set);
  const std::string_view otherwise = idle ? " || '{\"include\":[]}'" : "";
  return filled(kPlanJob, {{"OUTPUTS", outputs_of(facts, 1, otherwise) + idle_outputs(facts, set)},
                           {"CONTAINER", container_of(facts)},
                           {"STARTED", started_of(facts, set)},
                           {"CHECKOUT", checkout(facts, set)},
                           {"DOWNLOAD", pinned("actions/download-artifact")},
                           {"PLACE", kPlaceOfRun},
                           {"FILE", kPlanFile},
                           {"KEEP", keep("before-plan")},
                           {"ACTION", facts.action},
                           {"MATRIX", yaml_string(facts.matrix)},
                           {"FREEZE", yaml_string(freeze)},
                           {"PATHS", compare_with_paths(facts, set)},
                           {"UPSTREAM", upstream_of(facts, set)},
                           {"EMULATE", facts.emulated ? filled(kEmulate, {}) : ""},
                           {"AND", set == WorkflowSet::ci && idle ? fmt::format(" && {}", kNotIdle)
                                                                  : std::string()},
                           {"CONDITION", unless_idle(facts, set)},
                           {"COMPARE", compare_with_last_night(facts, set)},
                           {"ROWS", rows_of(facts, 1, unless_idle(facts, set))},
                           {"RETENTION", retention_of(facts, set)},
                           {"UPLOAD", pinned("actions/upload-artifact")}}) +
         list_jobs(facts, set);
}

}  // namespace pinwheel::ci
