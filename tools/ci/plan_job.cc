#include <fmt/format.h>

#include "base/text.h"
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
      @ROWS@
      - name: Keep the plan
        uses: @UPLOAD@
        with:
          name: plan
          path: plan.json
          if-no-files-found: error
          overwrite: true
)";

constexpr std::string_view kRows = R"(
- name: @NAME@
  id: @ID@
  uses: @ACTION@
  with:
    output: text
    args: plan --plan plan.json --format github --stage @STAGE@ --chunk @CHUNK@
)";

std::string rows_of(const WorkflowFacts& facts, std::string_view stage, size_t chunks) {
  std::string text;
  for (size_t chunk = 1; chunk <= chunks; ++chunk) {
    text += filled(kRows, {{"NAME", fmt::format("List the {}s, part {}", stage, chunk)},
                           {"ID", fmt::format("{}s-{}", stage, chunk)},
                           {"ACTION", facts.action},
                           {"STAGE", std::string(stage)},
                           {"CHUNK", std::to_string(chunk)}});
  }
  return text;
}

std::string outputs_of(std::string_view stage, size_t chunks) {
  std::string text;
  for (size_t chunk = 1; chunk <= chunks; ++chunk) {
    text += fmt::format("{0}s-{1}: ${{{{ steps.{0}s-{1}.outputs.text }}}}\n", stage, chunk);
  }
  return text;
}

}  // namespace

std::string plan_job(const WorkflowFacts& facts, WorkflowSet set) {
  std::string freeze = "plan " + shell_quote(facts.matrix);
  if (!facts.channel.empty()) freeze += " --channel " + facts.channel;
  freeze += " --out plan.json";
  return filled(
      kPlanJob,
      {{"OUTPUTS", outputs_of("build", facts.build_chunks) + outputs_of("test", facts.test_chunks)},
       {"CHECKOUT", checkout(set)},
       {"DOWNLOAD", pinned("actions/download-artifact")},
       {"KEEP", keep("before-plan")},
       {"ACTION", facts.action},
       {"MATRIX", yaml_string(facts.matrix)},
       {"FREEZE", yaml_string(freeze)},
       {"ROWS",
        rows_of(facts, "build", facts.build_chunks) + rows_of(facts, "test", facts.test_chunks)},
       {"UPLOAD", pinned("actions/upload-artifact")}});
}

}  // namespace pinwheel::ci
