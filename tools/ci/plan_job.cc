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

constexpr std::string_view kPlanSteps = R"(
@CHECKOUT@
@STARTED@
- name: Download the plan of the first attempt
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
@KEYS@
- name: Freeze the plan
  if: steps.earlier.outcome != 'success'@AND@
  uses: @ACTION@
  with:
    matrix: @MATRIX@
    args: @FREEZE@
@COMPARE@
@ROWS@
- name: Upload the plan
  @CONDITION@
  uses: @UPLOAD@
  with:
    name: plan
    path: @FILE@
    if-no-files-found: error
    overwrite: true
    @RETENTION@
)";

// A job cannot find out whether an environment has such a rule.
constexpr std::string_view kStarted = R"(
- name: Show which ref protected environments check
  if: inputs.tag && github.ref != format('refs/tags/{0}', inputs.tag)
  run: echo '::warning::environments check the branch from which this run was started, not the tag; if they allow only tags, start it with the tag under "Use workflow from"'
)";

// A new release of torch is a notice. An unreachable index must not fail the nightly.
constexpr std::string_view kUpstream = R"(
- name: Compare the axes with upstream releases
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

constexpr std::string_view kListSteps = R"(
@CHECKOUT@
@PLAN@
@ROWS@
)";

/// `if:` of a step that an idle run skips.
std::string unless_idle(const WorkflowFacts& facts) {
  return may_be_idle(facts) ? fmt::format("if: {}", not_idle(facts)) : std::string();
}

/// The warning for a person who starts a release by hand, before everything is built.
std::string started_of(const WorkflowFacts& facts) {
  const bool guarded = std::ranges::any_of(
      facts.publish, [](const PublishJob& job) { return !job.environment.empty(); });
  return facts.set == WorkflowSet::release && guarded ? filled(kStarted, {}) : std::string();
}

std::string upstream_of(const WorkflowFacts& facts) {
  if (facts.set != WorkflowSet::nightly) return {};
  const std::string args = fmt::format("plan {} --upstream", shell_quote(facts.matrix));
  return filled(kUpstream, {{"ACTION", facts.action},
                            {"MATRIX", yaml_string(facts.matrix)},
                            {"ARGS", yaml_string(args)}});
}

/// The chunk with this number of the rows of a stage.
struct ListedChunk {
  std::string stage;  ///< "build"
  size_t number = 1;
  size_t chunks = 1;  ///< of the stage
};

/// How many of the listing jobs list no device code, because they list installations.
size_t listers_before_devices(const WorkflowFacts& facts) {
  if (facts.through.empty()) return 0;
  return std::max({facts.build_chunks, facts.test_chunks, facts.install_chunks});
}

/// What the listing job with this number, from 1, lists.
std::vector<ListedChunk> listed_by(const WorkflowFacts& facts, size_t number) {
  std::vector<ListedChunk> listed;
  const size_t before = listers_before_devices(facts);
  if (number > before && number - before <= facts.device_chunks) {
    listed.push_back({"device", number - before, facts.device_chunks});
  }
  if (number <= facts.build_chunks) listed.push_back({"build", number, facts.build_chunks});
  if (number <= facts.test_chunks) listed.push_back({"test", number, facts.test_chunks});
  if (!facts.through.empty() && number <= facts.install_chunks) {
    listed.push_back({"install", number, facts.install_chunks});
  }
  return listed;
}

/// The steps of the listing job with this number. An idle run ends with the job `plan`.
std::string rows_of(const WorkflowFacts& facts, size_t number, const std::string& condition) {
  std::string text;
  for (const ListedChunk& each : listed_by(facts, number)) {
    const std::string rows = each.stage == "device" ? "device code" : each.stage + "s";
    text += filled(kRows, {{"NAME", fmt::format("List the {}, part {}", rows, each.number)},
                           {"ID", fmt::format("{}s-{}", each.stage, each.number)},
                           {"CONDITION", condition},
                           {"ACTION", facts.action},
                           {"FILE", plan_argument()},
                           {"STAGE", each.stage},
                           {"CHUNK", std::to_string(each.number)},
                           {"CHUNKS", std::to_string(each.chunks)}});
  }
  return text;
}

/// Their outputs, each with its expression. Without rows there are no jobs; `otherwise` is the
/// value of an idle run.
std::vector<std::pair<std::string, std::string>> row_outputs(const WorkflowFacts& facts,
                                                             size_t number,
                                                             std::string_view otherwise) {
  std::vector<std::pair<std::string, std::string>> outputs;
  for (const ListedChunk& each : listed_by(facts, number)) {
    const std::string name = fmt::format("{}s-{}", each.stage, each.number);
    outputs.emplace_back(name, fmt::format("steps.{}.outputs.text{}", name, otherwise));
  }
  return outputs;
}

/// The options of `plan` for the channel and the engine.
std::string plan_options(const WorkflowFacts& facts) {
  std::string options;
  if (!facts.channel.empty()) options += " --channel " + facts.channel;
  if (facts.engine != container::Engine::host) {
    options += fmt::format(" --engine {}", to_string(facts.engine));
  }
  return options;
}

/// The command that freezes the plan.
std::string freeze_command(const WorkflowFacts& facts) {
  return fmt::format("plan {}{} --out {}{}", shell_quote(facts.matrix), plan_options(facts),
                     plan_argument(), changed_variants(facts));
}

std::string plan_steps(const WorkflowFacts& facts) {
  const bool idle_first = facts.set == WorkflowSet::ci && may_be_idle(facts);
  return filled(kPlanSteps,
                {{"STARTED", started_of(facts)},
                 {"CHECKOUT", checkout(facts)},
                 {"DOWNLOAD", pinned("actions/download-artifact")},
                 {"PLACE", kPlaceOfRun},
                 {"FILE", kPlanFile},
                 {"KEEP", own_lines("before-plan")},
                 {"ACTION", facts.action},
                 {"MATRIX", yaml_string(facts.matrix)},
                 {"FREEZE", yaml_string(freeze_command(facts))},
                 {"PATHS", compare_with_paths(facts)},
                 {"KEYS", compare_with_base(facts, plan_options(facts))},
                 {"UPSTREAM", upstream_of(facts)},
                 {"EMULATE", facts.emulated ? filled(kEmulate, {}) : ""},
                 {"AND", idle_first ? fmt::format(" && {}", not_idle(facts)) : std::string()},
                 {"CONDITION", unless_idle(facts)},
                 {"COMPARE", compare_with_last_night(facts) + list_variants(facts)},
                 {"ROWS", rows_of(facts, 1, unless_idle(facts))},
                 {"RETENTION", retention_of(facts)},
                 {"UPLOAD", pinned("actions/upload-artifact")}});
}

}  // namespace

std::string lister(size_t chunk) {
  return chunk == 1 ? "plan" : fmt::format("list-{}", chunk);
}

std::string device_lister(const WorkflowFacts& facts, size_t chunk) {
  return lister(chunk + listers_before_devices(facts));
}

Job plan_job(const WorkflowFacts& facts) {
  Job job{"plan", "plan", "it decides the version, the packages and the jobs once for all of them"};
  job.container = facts.settings.container.image;
  job.minutes = 2;
  job.outputs = row_outputs(facts, 1, may_be_idle(facts) ? " || '{\"include\":[]}'" : "");
  for (auto& output : idle_outputs(facts)) job.outputs.push_back(std::move(output));
  job.steps = plan_steps(facts);
  return job;
}

std::vector<Job> list_jobs(const WorkflowFacts& facts) {
  std::vector<Job> jobs;
  for (size_t number = 2; !listed_by(facts, number).empty(); ++number) {
    Job job{lister(number), fmt::format("list part {}", number),
            "the outputs of one job only have room for the first rows of each kind"};
    job.needs = {"plan"};
    if (may_be_idle(facts)) job.condition = "needs.plan.outputs.idle != 'true'";
    job.container = facts.settings.container.image;
    job.minutes = 1;
    job.outputs = row_outputs(facts, number, {});
    job.steps = filled(kListSteps, {{"CHECKOUT", checkout(facts)},
                                    {"PLAN", download_plan()},
                                    {"ROWS", rows_of(facts, number, {})}});
    jobs.push_back(std::move(job));
  }
  return jobs;
}

}  // namespace pinwheel::ci
