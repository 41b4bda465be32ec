#include <fmt/format.h>

#include "base/text.h"
#include "ci/idle.h"
#include "ci/job_parts.h"
#include "ci/jobs.h"
#include "ci/yaml_text.h"

namespace pinwheel::ci {
namespace {

constexpr std::string_view kGateSteps = R"(
@CHECKOUT@
@PLAN@
@RESULTS@
@KEEP@
- name: Check that all results exist
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

/// The condition that a job with rows failed. A job without rows may be skipped.
std::string failed_with_rows(const std::string& id) {
  return fmt::format("(needs.{0}.result != 'success' && needs.{0}.result != 'skipped')", id);
}

/// The gate for a pull request from a fork, where some steps may not run. Only the first job of
/// builds is certain to have rows.
std::string fork_gate(const WorkflowFacts& facts, const std::vector<Job>& before) {
  std::vector<std::string> failed;
  for (const Job& job : before) {
    if (job.id == "plan") continue;
    const bool skipped =
        job.runner == JobRunner::of_tests && facts.settings.forks == matrix::ForkJobs::build;
    if (skipped) continue;
    const bool certain = job.runner == JobRunner::hosted || job.id == "build";
    failed.push_back(certain ? fmt::format("needs.{}.result != 'success'", job.id)
                             : failed_with_rows(job.id));
  }
  return filled(kForkGate, {{"FAILED", join(failed, " || ")}});
}

std::string gate_steps(const WorkflowFacts& facts, const std::vector<Job>& before) {
  // Without its tests or without secrets, a fork cannot be complete.
  const bool partial = facts.set == WorkflowSet::ci &&
                       (facts.settings.forks == matrix::ForkJobs::build || !facts.secrets.empty());
  return filled(kGateSteps,
                {{"CHECKOUT", checkout(facts)},
                 {"PLAN", download_plan()},
                 {"RESULTS", download_results(facts)},
                 {"KEEP", own_lines("before-gate")},
                 {"ACTION", facts.action},
                 {"ARGS", args(fmt::format("release --plan {} --reuse-only --gate{}",
                                           plan_argument(), planned_variants(facts)),
                               facts, Results::read)},
                 {"CONDITION", partial ? std::string("if: ") + kNotFork : std::string()},
                 {"FORK", partial ? fork_gate(facts, before) : std::string()}});
}

}  // namespace

Job gate_job(const WorkflowFacts& facts, const std::vector<Job>& before) {
  const std::string& name = facts.settings.name;
  Job job{"gate", name.empty() ? "pinwheel" : "pinwheel " + name,
          "it fails on anything that is missing; require this one check"};
  job.needs = ids_of(before);
  job.condition = may_be_idle(facts) ? "always() && needs.plan.outputs.idle != 'true'" : "always()";
  job.container = facts.settings.container.image;
  job.minutes = 2;
  job.steps = gate_steps(facts, before);
  return job;
}

}  // namespace pinwheel::ci
