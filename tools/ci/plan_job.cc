#include <fmt/format.h>

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
      - name: Take the plan of the first attempt
        if: github.run_attempt > 1
        continue-on-error: true
        uses: @DOWNLOAD@
        with:
          name: plan
      @KEEP@
      @PATHS@
      @UPSTREAM@
      - name: Freeze the plan
        if: hashFiles('plan.json') == ''@AND@
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
          path: plan.json
          if-no-files-found: error
          overwrite: true
          @RETENTION@
)";

// A new release of torch is a notice. An index that does not answer breaks no night.
constexpr std::string_view kUpstream = R"(
- name: Compare the axes with what there is upstream
  continue-on-error: true
  uses: @ACTION@
  with:
    matrix: @MATRIX@
    args: @ARGS@
)";

constexpr std::string_view kRows = R"(
- name: @NAME@
  id: @ID@
  @CONDITION@
  uses: @ACTION@
  with:
    output: text
    args: plan --plan plan.json --format github --stage @STAGE@ --chunk @CHUNK@/@CHUNKS@
)";

/// `if:` of a step that an idle run passes over.
std::string unless_idle(const WorkflowFacts& facts, WorkflowSet set) {
  return may_be_idle(facts, set) ? fmt::format("if: {}", kNotIdle) : std::string();
}

std::string upstream_of(const WorkflowFacts& facts, WorkflowSet set) {
  if (set != WorkflowSet::nightly) return {};
  const std::string args = fmt::format("plan {} --upstream", shell_quote(facts.matrix));
  return filled(kUpstream, {{"ACTION", facts.action},
                            {"MATRIX", yaml_string(facts.matrix)},
                            {"ARGS", yaml_string(args)}});
}

std::string rows_of(const WorkflowFacts& facts, WorkflowSet set, std::string_view stage,
                    size_t chunks) {
  std::string text;
  for (size_t chunk = 1; chunk <= chunks; ++chunk) {
    text += filled(kRows, {{"NAME", fmt::format("List the {}s, part {}", stage, chunk)},
                           {"ID", fmt::format("{}s-{}", stage, chunk)},
                           {"CONDITION", unless_idle(facts, set)},
                           {"ACTION", facts.action},
                           {"STAGE", std::string(stage)},
                           {"CHUNK", std::to_string(chunk)},
                           {"CHUNKS", std::to_string(chunks)}});
  }
  return text;
}

/// Without rows there are no jobs.
std::string outputs_of(const WorkflowFacts& facts, WorkflowSet set, std::string_view stage,
                       size_t chunks) {
  const std::string_view idle = may_be_idle(facts, set) ? " || '{\"include\":[]}'" : "";
  std::string text;
  for (size_t chunk = 1; chunk <= chunks; ++chunk) {
    text +=
        fmt::format("{0}s-{1}: ${{{{ steps.{0}s-{1}.outputs.text{2} }}}}\n", stage, chunk, idle);
  }
  return text;
}

}  // namespace

std::string plan_job(const WorkflowFacts& facts, WorkflowSet set) {
  std::string freeze = "plan " + shell_quote(facts.matrix);
  if (!facts.channel.empty()) freeze += " --channel " + facts.channel;
  freeze += " --out plan.json";
  const bool idle = may_be_idle(facts, set);
  return filled(kPlanJob, {{"OUTPUTS", outputs_of(facts, set, "build", facts.build_chunks) +
                                           outputs_of(facts, set, "test", facts.test_chunks) +
                                           idle_outputs(facts, set)},
                           {"CONTAINER", container_of(facts)},
                           {"CHECKOUT", checkout(facts, set)},
                           {"DOWNLOAD", pinned("actions/download-artifact")},
                           {"KEEP", keep("before-plan")},
                           {"ACTION", facts.action},
                           {"MATRIX", yaml_string(facts.matrix)},
                           {"FREEZE", yaml_string(freeze)},
                           {"PATHS", compare_with_paths(facts, set)},
                           {"UPSTREAM", upstream_of(facts, set)},
                           {"AND", set == WorkflowSet::ci && idle ? fmt::format(" && {}", kNotIdle)
                                                                  : std::string()},
                           {"CONDITION", unless_idle(facts, set)},
                           {"COMPARE", compare_with_last_night(facts, set)},
                           {"ROWS", rows_of(facts, set, "build", facts.build_chunks) +
                                        rows_of(facts, set, "test", facts.test_chunks)},
                           {"RETENTION", retention_of(facts, set)},
                           {"UPLOAD", pinned("actions/upload-artifact")}});
}

}  // namespace pinwheel::ci
