#include "ci/idle.h"

#include <fmt/format.h>

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

// The names of the variants come from the matrix, and the action splits them without a shell. A
// failed comparison, for instance because the base has no results yet, must not stop the run. A
// rerun already has its plan.
constexpr std::string_view kKeys = R"YAML(
- name: Compare the keys with those of the base
  id: keys
  if: github.event_name == 'pull_request' && steps.earlier.outcome != 'success'@AND@
  continue-on-error: true
  uses: @ACTION@
  with:
    output: text
    matrix: @MATRIX@
    args: @ARGS@
- name: Skip all jobs if no key differs
  id: unchanged
  if: steps.keys.outcome == 'success' && steps.keys.outputs.text == ''
  run: |
    echo "::notice::no key differs from those of the results of the base"
    echo "idle=true" >> "$GITHUB_OUTPUT"
)YAML";

// A rerun uses the plan of the first attempt.
constexpr std::string_view kVariants = R"YAML(
- name: List the variants of the plan
  id: variants
  if: github.event_name == 'pull_request' && @NOT_IDLE@
  uses: @ACTION@
  with:
    output: text
    args: plan --plan @PLAN@ --format ids
)YAML";

bool compares_keys(const WorkflowFacts& facts) {
  return facts.set == WorkflowSet::ci &&
         facts.settings.pull_requests == matrix::PullRequestRuns::changed_keys;
}

bool compares_paths(const WorkflowFacts& facts) {
  return facts.set == WorkflowSet::ci && decidable_paths(facts.settings);
}

/// The option for the store with the results of the base; the store is only read.
std::string base_store(const std::string& place) {
  if (place.empty()) return {};
  const bool has_access = place.ends_with(",ro") || place.ends_with(",rw");
  const std::string bare = has_access ? place.substr(0, place.size() - 3) : place;
  return " --store " + shell_quote(bare + ",ro");
}

/// The ids of the steps that decide whether a run is idle.
std::vector<std::string> idle_steps(const WorkflowFacts& facts) {
  std::vector<std::string> steps;
  if (facts.set == WorkflowSet::nightly || compares_paths(facts)) steps.emplace_back("idle");
  if (compares_keys(facts)) steps.emplace_back("unchanged");
  return steps;
}

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
  return !idle_steps(facts).empty();
}

std::string not_idle(const WorkflowFacts& facts) {
  const std::vector<std::string> steps = idle_steps(facts);
  std::vector<std::string> conditions;
  conditions.reserve(steps.size());
  for (const std::string& step : steps) {
    conditions.push_back(fmt::format("steps.{}.outputs.idle != 'true'", step));
  }
  return join(conditions, " && ");
}

std::string compare_with_base(const WorkflowFacts& facts, const std::string& options) {
  if (!compares_keys(facts)) return {};
  const std::string args = fmt::format(
      "plan {}{} --changed-since ${{{{ github.event.pull_request.base.sha }}}} "
      "--format ids{}",
      shell_quote(facts.matrix), options, base_store(facts.settings.store));
  return filled(kKeys,
                {{"AND", compares_paths(facts) ? " && steps.idle.outputs.idle != 'true'" : ""},
                 {"ACTION", facts.action},
                 {"MATRIX", yaml_string(facts.matrix)},
                 {"ARGS", yaml_string(args)}});
}

std::string changed_variants(const WorkflowFacts& facts) {
  return compares_keys(facts) ? " ${{ steps.keys.outputs.text }}" : "";
}

std::string list_variants(const WorkflowFacts& facts) {
  if (!compares_keys(facts)) return {};
  return filled(
      kVariants,
      {{"NOT_IDLE", not_idle(facts)}, {"ACTION", facts.action}, {"PLAN", plan_argument()}});
}

std::string planned_variants(const WorkflowFacts& facts) {
  return compares_keys(facts) ? " ${{ needs.plan.outputs.variants }}" : "";
}

std::string compare_with_paths(const WorkflowFacts& facts) {
  if (!compares_paths(facts)) return {};
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
  const std::vector<std::string> steps = idle_steps(facts);
  std::vector<std::string> values;
  values.reserve(steps.size());
  for (const std::string& step : steps) {
    values.push_back(fmt::format("steps.{}.outputs.idle", step));
  }
  std::vector<std::pair<std::string, std::string>> outputs = {{"idle", join(values, " || ")}};
  if (compares_keys(facts)) outputs.emplace_back("variants", "steps.variants.outputs.text");
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
