#include "ci/idle.h"

#include <algorithm>

#include "base/text.h"
#include "ci/job_parts.h"
#include "ci/jobs.h"
#include "ci/pins.h"
#include "ci/yaml_text.h"

namespace pinwheel::ci {
namespace {

/// The fingerprint of the last night's plan.
constexpr const char* kLastNight = "${{ runner.temp }}/pinwheel-run/last-night.txt";

// A key is never written twice, so the cache returns the newest with the prefix.
constexpr std::string_view kCompare = R"YAML(
- name: Compute the fingerprint of the plan
  id: fingerprint
  uses: @ACTION@
  with:
    output: text
    args: plan --plan @PLAN@ --format fingerprint
- name: Restore the fingerprint of the last nightly
  if: github.event_name == 'schedule'
  uses: @RESTORE@
  with:
    path: @FILE@
    key: last-night/${{ github.workflow }}/${{ github.run_id }}-${{ github.run_attempt }}
    restore-keys: last-night/${{ github.workflow }}/
- name: Compare the fingerprints
  id: idle
  env:
    FINGERPRINT: ${{ steps.fingerprint.outputs.text }}
    FILE: @FILE@
  run: |
    if [ -e "$FILE" ] && [ "$(cat "$FILE")" = "$FINGERPRINT" ]; then
      echo "::notice::neither the commit nor a package has changed since the last night"
      echo "idle=true" >> "$GITHUB_OUTPUT"
    fi
)YAML";

// A cache is found only by jobs with the same compression program, so this job runs in the
// container of `plan`.
constexpr std::string_view kRemember = R"(
@PREPARE@
- name: Write the fingerprint
  env:
    FINGERPRINT: ${{ needs.plan.outputs.fingerprint }}
    FILE: @FILE@
  run: mkdir -p "${FILE%/*}" && printf '%s\n' "$FINGERPRINT" > "$FILE"
- name: Store the fingerprint
  uses: @SAVE@
  with:
    path: @FILE@
    key: last-night/${{ github.workflow }}/${{ github.run_id }}-${{ github.run_attempt }}
)";

// Treat a git failure as a change.
constexpr std::string_view kPaths = R"YAML(
- name: Check whether the pull request changes the build
  id: idle
  if: github.event_name == 'pull_request'
  env:
    BASE: ${{ github.event.pull_request.base.sha }}
  run: |
    if git diff --quiet "${BASE:-unknown}...HEAD" -- @PATHS@; then
      echo "::notice::the pull request changes no file of ci.on.paths"
      echo "idle=true" >> "$GITHUB_OUTPUT"
    fi
)YAML";

/// `**` as a whole component, `*`, and plain names.
bool is_decidable(const std::string& path) {
  if (path.find_first_of("!?+[]{}$\\\n") != std::string::npos) return false;
  const std::vector<std::string> parts = split(path, '/');
  return std::ranges::all_of(parts, [](const std::string& part) {
    return part == "**" || part.find("**") == std::string::npos;
  });
}

}  // namespace

bool decidable_paths(const matrix::CiSettings& settings) {
  return !settings.paths.empty() && std::ranges::all_of(settings.paths, is_decidable);
}

bool may_be_idle(const WorkflowFacts& facts) {
  return facts.set == WorkflowSet::nightly ||
         (facts.set == WorkflowSet::ci && decidable_paths(facts.settings));
}

std::string compare_with_paths(const WorkflowFacts& facts) {
  if (facts.set != WorkflowSet::ci || !may_be_idle(facts)) return {};
  std::vector<std::string> paths;
  for (const std::string& path : facts.settings.paths) {
    paths.push_back(shell_quote(":(glob)" + path));
  }
  return filled(kPaths, {{"PATHS", join(paths, " ")}});
}

std::string compare_with_last_night(const WorkflowFacts& facts) {
  if (facts.set != WorkflowSet::nightly) return {};
  return filled(kCompare, {{"ACTION", facts.action},
                           {"PLAN", plan_argument()},
                           {"FILE", kLastNight},
                           {"RESTORE", pinned("actions/cache", "restore")}});
}

std::vector<std::pair<std::string, std::string>> idle_outputs(const WorkflowFacts& facts) {
  if (!may_be_idle(facts)) return {};
  std::vector<std::pair<std::string, std::string>> outputs = {{"idle", "steps.idle.outputs.idle"}};
  if (facts.set == WorkflowSet::nightly) {
    outputs.emplace_back("fingerprint", "steps.fingerprint.outputs.text");
  }
  return outputs;
}

Job remember_job(const WorkflowFacts& facts, const std::string& last) {
  Job job{"remember", "remember this night",
          "a nightly with the same commit and packages stops after its plan"};
  job.needs = {"plan", last};
  job.condition = after(last);
  job.container = facts.settings.container.image;
  job.minutes = 1;
  job.limit = 10;
  job.steps = filled(kRemember, {{"PREPARE", prepare(facts)},
                                 {"FILE", kLastNight},
                                 {"SAVE", pinned("actions/cache", "save")}});
  return job;
}

}  // namespace pinwheel::ci
