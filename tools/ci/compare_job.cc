#include <fmt/format.h>

#include "base/text.h"
#include "ci/idle.h"
#include "ci/job_parts.h"
#include "ci/jobs.h"
#include "ci/pins.h"
#include "ci/yaml_text.h"

namespace pinwheel::ci {
namespace {

/// What runs of a branch store for its pull requests: the number of the last run, and the durations
/// of the steps of the last ten.
constexpr const char* kBasePlace = "${{ runner.temp }}/pinwheel-run/base-run";
constexpr const char* kBaseNumber = "${{ runner.temp }}/pinwheel-run/base-run/number.txt";
constexpr const char* kBaseDurations = "${{ runner.temp }}/pinwheel-run/base-run/durations.json";
constexpr const char* kBaseResults = "${{ runner.temp }}/pinwheel-run/base";

// A run of a pull request finds the caches of its base branch. A key is never written twice, so the
// cache returns the newest with the prefix. Only digits of the number are used: it names a run.
constexpr std::string_view kCompareSteps = R"YAML(
@CHECKOUT@
- name: Restore what is known of the runs of the base
  uses: @RESTORE@
  with:
    path: @PLACE@
    key: base-run/${{ github.workflow }}/${{ github.base_ref || github.ref_name }}/${{ github.run_id }}-${{ github.run_attempt }}
    restore-keys: base-run/${{ github.workflow }}/${{ github.base_ref || github.ref_name }}/
- name: Download the results of this run
  if: github.event_name == 'push' && needs.gate.result == 'success'
  uses: @DOWNLOAD@
  with:
    pattern: '{plan,@PATTERN@}'
    path: @RESULTS@
- name: Add its durations to those of earlier runs
  if: github.event_name == 'push' && needs.gate.result == 'success'
  uses: @ACTION@
  with:
    args: @ADD@
- name: Write the number of this run
  if: github.event_name == 'push' && needs.gate.result == 'success'
  env:
    FILE: @FILE@
  run: mkdir -p "${FILE%/*}" && printf '%s\n' "$GITHUB_RUN_ID" > "$FILE"
- name: Store both for pull requests
  if: github.event_name == 'push' && needs.gate.result == 'success'
  uses: @SAVE@
  with:
    path: @PLACE@
    key: base-run/${{ github.workflow }}/${{ github.ref_name }}/${{ github.run_id }}-${{ github.run_attempt }}
- name: Look for a run of the base
  id: base
  if: github.event_name == 'pull_request'
  env:
    FILE: @FILE@
  run: |
    if [ -e "$FILE" ]; then
      echo "run=$(tr -cd 0-9 < "$FILE")" >> "$GITHUB_OUTPUT"
    else
      echo "::notice::no run of the base branch is known: there is nothing to compare with"
    fi
- name: Download the results of the base
  if: steps.base.outputs.run
  # They may have expired.
  continue-on-error: true
  uses: @DOWNLOAD@
  with:
    pattern: '{plan,@PATTERN@}'
    path: @BASE@
    run-id: ${{ steps.base.outputs.run }}
    github-token: ${{ github.token }}
- name: Look for results of the base
  id: old
  if: steps.base.outputs.run
  env:
    BASE: @BASE@
  run: |
    if [ -n "$(ls "$BASE" 2>/dev/null)" ]; then
      echo "found=true" >> "$GITHUB_OUTPUT"
    else
      echo "::notice::the last run of the base branch has no results any more: there is nothing to compare with"
    fi
- name: Download the results
  if: steps.old.outputs.found
  uses: @DOWNLOAD@
  with:
    pattern: '{plan,@PATTERN@,failed-*}'
    path: @RESULTS@
@KEEP@
- name: Compare
  if: steps.old.outputs.found
  uses: @ACTION@
  @TOKEN@
  with:
    args: @ARGS@
)YAML";

constexpr const char* kToken = "env:\n  GITHUB_TOKEN: ${{ github.token }}\n";

/// The option that writes the comment. The token of a pull request from a fork cannot write.
std::string comment_option(const std::string& workflow) {
  return fmt::format(
      " ${{{{ github.event.pull_request.head.repo.full_name == github.repository && '--comment {}' "
      "|| '' }}}}",
      workflow);
}

/// Adds the durations of this run.
std::string history_command() {
  return fmt::format("report {} --update-history {}", shell_quote(kDownloadedResults),
                     shell_quote(kBaseDurations));
}

}  // namespace

Job compare_job(const WorkflowFacts& facts, const std::vector<Job>& before) {
  Job job{"compare", "compare with the base",
          "it shows in the summary of a pull request what differs from the last run of its base"};
  job.needs = ids_of(before);
  job.condition = "${{ !cancelled() && needs.plan.result == 'success'";
  if (may_be_idle(facts)) job.condition += " && needs.plan.outputs.idle != 'true'";
  job.condition += " }}";
  job.container = facts.settings.container.image;
  job.minutes = 1;
  const bool comments = facts.settings.comment == matrix::CommentPolicy::written;
  job.permission = comments ? JobPermission::comment : JobPermission::results;
  std::string command = fmt::format("report {} {} --base-name {}", shell_quote(kBaseResults),
                                    shell_quote(kDownloadedResults),
                                    shell_quote("run ${{ steps.base.outputs.run }} of the base"));
  command += " --history " + shell_quote(kBaseDurations);
  if (facts.settings.pull_requests == matrix::PullRequestRuns::changed_keys) {
    command += " --partial";
  }
  if (comments) command += comment_option(facts.settings.name.empty() ? "ci" : facts.settings.name);
  job.steps = filled(kCompareSteps, {{"CHECKOUT", checkout(facts)},
                                     {"FILE", kBaseNumber},
                                     {"PLACE", kBasePlace},
                                     {"ADD", yaml_string(history_command())},
                                     {"SAVE", pinned("actions/cache", "save")},
                                     {"RESTORE", pinned("actions/cache", "restore")},
                                     {"DOWNLOAD", pinned("actions/download-artifact")},
                                     {"BASE", kBaseResults},
                                     {"PATTERN", results_pattern(facts)},
                                     {"RESULTS", kDownloadedResults},
                                     {"KEEP", own_lines("before-compare")},
                                     {"ACTION", facts.action},
                                     {"TOKEN", comments ? kToken : ""},
                                     {"ARGS", yaml_string(command)}});
  return job;
}

}  // namespace pinwheel::ci
