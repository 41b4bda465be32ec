#include "ci/workflow.h"

#include <fmt/format.h>

#include "ci/idle.h"
#include "ci/job_parts.h"
#include "ci/jobs.h"
#include "ci/yaml_text.h"

namespace pinwheel::ci {
namespace {

constexpr std::string_view kBeforeMatrix = "# Written by `pinwheel ci generate` from ";
constexpr std::string_view kAfterMatrix = "; `pinwheel ci check` finds what differs.";

constexpr std::string_view kHead = R"(
@WRITTEN@
# Your own lines survive between `# pinwheel: keep NAME` and `# pinwheel: end`.
name: @NAME@

on:
  @TRIGGERS@
  @KEEP_TRIGGERS@

permissions:
  contents: read

concurrency:
  group: @GROUP@
  cancel-in-progress: @CANCEL@
  @QUEUE@

jobs:
)";

std::string push_and_pull_request(const matrix::CiSettings& settings) {
  const std::string paths =
      settings.paths.empty() ? std::string() : "paths: " + yaml_list(settings.paths);
  return filled(R"(
push:
  branches: [main, master]
  @PATHS@
pull_request:
  @FILTER@
)",
                {{"PATHS", paths}, {"FILTER", decidable_paths(settings) ? std::string() : paths}});
}

std::string schedule(const matrix::CiSettings& settings) {
  return filled(R"(
schedule:
  - cron: @CRON@
workflow_dispatch:
)",
                {{"CRON", yaml_string(settings.nightly)}});
}

std::string tags(const matrix::CiSettings& settings) {
  return filled(R"(
push:
  tags: @TAGS@
workflow_dispatch:
  inputs:
    tag:
      description: the tag to release; if environments allow only tags, choose it under "Use workflow from", too
      required: true
      type: string
)",
                {{"TAGS", yaml_list(settings.tags)}});
}

std::string triggers(const matrix::CiSettings& settings, WorkflowSet set) {
  switch (set) {
    case WorkflowSet::ci:
      return push_and_pull_request(settings);
    case WorkflowSet::nightly:
      return schedule(settings);
    case WorkflowSet::release:
      return tags(settings);
  }
  return {};
}

/// Two releases of different tags run beside each other up to their publication.
std::string group(WorkflowSet set) {
  if (set == WorkflowSet::release) {
    return fmt::format("${{{{ github.workflow }}}}-${{{{ {} }}}}", kReleased);
  }
  return "${{ github.workflow }}-${{ github.ref }}";
}

std::string cancel(const matrix::CiSettings& settings, WorkflowSet set) {
  const bool outdated = set == WorkflowSet::ci && settings.concurrency == matrix::Outdated::cancel;
  return outdated ? "${{ github.event_name == 'pull_request' }}" : "false";
}

/// Without it, a run that waits is canceled when the next arrives.
std::string queue(WorkflowSet set) {
  return set == WorkflowSet::release ? "queue: max" : std::string();
}

}  // namespace

std::string workflow_name(const matrix::CiSettings& settings, WorkflowSet set) {
  if (settings.name.empty()) return fmt::format("pinwheel-{}", to_string(set));
  return fmt::format("pinwheel-{}-{}", settings.name, to_string(set));
}

std::string written_from(std::string_view text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  const size_t end = line.find(kAfterMatrix);
  const bool generated = line.starts_with(kBeforeMatrix) && end != std::string_view::npos;
  if (!generated) return {};
  return std::string(line.substr(kBeforeMatrix.size(), end - kBeforeMatrix.size()));
}

std::string_view to_string(WorkflowSet set) {
  switch (set) {
    case WorkflowSet::ci:
      return "ci";
    case WorkflowSet::nightly:
      return "nightly";
    case WorkflowSet::release:
      break;
  }
  return "release";
}

std::string workflow_text(const WorkflowFacts& facts, WorkflowSet set) {
  const std::string head =
      filled(kHead, {{"WRITTEN", fmt::format("{}{}{}", kBeforeMatrix, facts.matrix, kAfterMatrix)},
                     {"NAME", workflow_name(facts.settings, set)},
                     {"TRIGGERS", triggers(facts.settings, set)},
                     {"KEEP_TRIGGERS", keep("triggers")},
                     {"GROUP", group(set)},
                     {"CANCEL", cancel(facts.settings, set)},
                     {"QUEUE", queue(set)}});
  std::string jobs =
      plan_jobs(facts, set) + build_jobs(facts, set) + test_jobs(facts, set) + gate_job(facts, set);
  if (set != WorkflowSet::ci) jobs += publish_jobs(facts, set);
  return head + jobs + "\n" + filled("\n  @KEEP@", {{"KEEP", keep("jobs")}});
}

}  // namespace pinwheel::ci
