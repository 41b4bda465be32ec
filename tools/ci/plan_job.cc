#include <fmt/format.h>

#include "base/text.h"
#include "ci/job_parts.h"
#include "ci/jobs.h"
#include "ci/last_night.h"
#include "ci/pins.h"
#include "ci/yaml_text.h"

namespace pinwheel::ci {
namespace {

constexpr std::string_view kPlanJob = R"(
  plan:
    name: plan
    runs-on: ubuntu-24.04
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
      - name: Freeze the plan
        if: hashFiles('plan.json') == ''
        uses: @ACTION@
        with:
          matrix: @MATRIX@
          args: @FREEZE@
      @COMPARE@
      @ROWS@
      - name: Keep the plan
        uses: @UPLOAD@
        with:
          name: plan
          path: plan.json
          if-no-files-found: error
          overwrite: true
          @RETENTION@
)";

constexpr std::string_view kRows = R"(
- name: @NAME@
  id: @ID@
  @CONDITION@
  uses: @ACTION@
  with:
    output: text
    args: plan --plan plan.json --format github --stage @STAGE@ --chunk @CHUNK@
)";

bool may_be_idle(WorkflowSet set) {
  return set == WorkflowSet::nightly;
}

std::string rows_of(const WorkflowFacts& facts, WorkflowSet set, std::string_view stage,
                    size_t chunks) {
  const std::string condition =
      may_be_idle(set) ? "if: steps.last-night.outputs.same != 'true'" : std::string();
  std::string text;
  for (size_t chunk = 1; chunk <= chunks; ++chunk) {
    text += filled(kRows, {{"NAME", fmt::format("List the {}s, part {}", stage, chunk)},
                           {"ID", fmt::format("{}s-{}", stage, chunk)},
                           {"CONDITION", condition},
                           {"ACTION", facts.action},
                           {"STAGE", std::string(stage)},
                           {"CHUNK", std::to_string(chunk)}});
  }
  return text;
}

/// Without rows there are no jobs.
std::string outputs_of(WorkflowSet set, std::string_view stage, size_t chunks) {
  const std::string_view idle = may_be_idle(set) ? " || '{\"include\":[]}'" : "";
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
  const bool idle = may_be_idle(set);
  return filled(kPlanJob, {{"OUTPUTS", outputs_of(set, "build", facts.build_chunks) +
                                           outputs_of(set, "test", facts.test_chunks) +
                                           (idle ? last_night_outputs() : std::string())},
                           {"CHECKOUT", checkout(set)},
                           {"DOWNLOAD", pinned("actions/download-artifact")},
                           {"KEEP", keep("before-plan")},
                           {"ACTION", facts.action},
                           {"MATRIX", yaml_string(facts.matrix)},
                           {"FREEZE", yaml_string(freeze)},
                           {"COMPARE", idle ? compare_with_last_night(facts) : std::string()},
                           {"ROWS", rows_of(facts, set, "build", facts.build_chunks) +
                                        rows_of(facts, set, "test", facts.test_chunks)},
                           {"RETENTION", retention_of(facts, set)},
                           {"UPLOAD", pinned("actions/upload-artifact")}});
}

}  // namespace pinwheel::ci
