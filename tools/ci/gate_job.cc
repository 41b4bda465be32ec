#include <fmt/format.h>

#include "base/text.h"
#include "ci/idle.h"
#include "ci/job_parts.h"
#include "ci/jobs.h"
#include "ci/pins.h"
#include "ci/yaml_text.h"

namespace pinwheel::ci {
namespace {

constexpr std::string_view kGateJob = R"(
  gate:
    name: @CHECK@
    needs: [@NEEDS@]
    if: @WHEN@
    runs-on: ubuntu-24.04
    @CONTAINER@
    timeout-minutes: 30
    steps:
      @CHECKOUT@
      @PLAN@
      @RESULTS@
      @KEEP@
      - name: Check that everything is there
        @CONDITION@
        uses: @ACTION@
        with:
          @ARGS@
      @FORK@
)";

constexpr std::string_view kForkGate = R"(
- name: Check the builds of a fork
  if: github.event.pull_request.head.repo.fork == true && (@FAILED@)
  run: exit 1
)";

/// That a job has failed which may have had no rows.
std::string failed_with_rows(const std::string& id) {
  return fmt::format("(needs.{0}.result != 'success' && needs.{0}.result != 'skipped')", id);
}

/// What a fork's pull request must have done, where some of its steps are held back. Only the first
/// job of builds is sure to have rows.
std::string fork_gate(const WorkflowFacts& facts) {
  std::vector<std::string> failed;
  for (const std::string& id : further_listers(facts)) {
    failed.push_back("needs." + id + ".result != 'success'");
  }
  for (const std::string& id : job_ids("build", facts.build_chunks)) {
    failed.push_back(id == "build" ? "needs.build.result != 'success'" : failed_with_rows(id));
  }
  if (facts.settings.forks == matrix::ForkJobs::test) {
    for (const std::string& id : job_ids("test", facts.test_chunks)) {
      failed.push_back(failed_with_rows(id));
    }
  }
  return filled(kForkGate, {{"FAILED", join(failed, " || ")}});
}

}  // namespace

std::string gate_name(const WorkflowFacts& facts) {
  const std::string& name = facts.settings.name;
  return name.empty() ? "pinwheel" : "pinwheel " + name;
}

std::string gate_job(const WorkflowFacts& facts, WorkflowSet set) {
  std::vector<std::string> needs = {"plan"};
  for (const std::string& id : further_listers(facts)) needs.push_back(id);
  for (const std::string& id : job_ids("build", facts.build_chunks)) needs.push_back(id);
  for (const std::string& id : job_ids("test", facts.test_chunks)) needs.push_back(id);
  // A fork whose tests or secrets are held back cannot be complete.
  const bool short_of = set == WorkflowSet::ci &&
                        (facts.settings.forks == matrix::ForkJobs::build || !facts.secrets.empty());
  const bool idle = may_be_idle(facts, set);
  const std::string when = idle ? "always() && needs.plan.outputs.idle != 'true'" : "always()";
  return "\n" + filled(kGateJob,
                       {{"NEEDS", join(needs, ", ")},
                        {"CHECK", gate_name(facts)},
                        {"WHEN", when},
                        {"CONTAINER", container_of(facts)},
                        {"CHECKOUT", checkout(facts, set)},
                        {"PLAN", take_plan()},
                        {"RESULTS", take_results()},
                        {"KEEP", keep("before-gate")},
                        {"ACTION", facts.action},
                        {"ARGS",
                         args(fmt::format("release --plan {} --reuse-only --gate", plan_argument()),
                              facts, set, Results::take)},
                        {"CONDITION", short_of ? std::string("if: ") + kNotFork : std::string()},
                        {"FORK", short_of ? fork_gate(facts) : std::string()}});
}

}  // namespace pinwheel::ci
