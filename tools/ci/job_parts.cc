#include "ci/job_parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "ci/pins.h"
#include "ci/yaml_text.h"

namespace pinwheel::ci {
namespace {

constexpr std::string_view kCheckout = R"(
- uses: @CHECKOUT@
  with:
    @REF@
    fetch-depth: 0
    persist-credentials: false
    @OPTIONS@
)";

// Without git the checkout would be an archive, but versions come from tags.
constexpr std::string_view kPrepare = R"(
- name: Prepare the container
  run: @COMMAND@
)";

constexpr std::string_view kTrust = R"(
- name: Trust the checkout, which the runner's user owns
  run: git config --global --add safe.directory "$GITHUB_WORKSPACE"
)";

constexpr std::string_view kDownloadPlan = R"(
- name: Download the plan
  uses: @DOWNLOAD@
  with:
    name: plan
    path: @PLACE@
)";

// A single artifact would be unpacked without a directory of its name, which states its step. With
// the plan in the pattern there are always two.
constexpr std::string_view kDownloadResults = R"(
- name: @NAME@
  @CONDITION@
  uses: @DOWNLOAD@
  with:
    pattern: @PATTERN@
    path: @PLACE@
)";

constexpr std::string_view kUploadResult = R"(
- name: Upload the result
  @CONDITION@
  uses: @UPLOAD@
  with:
    name: result-@ARTIFACT@-${{ github.run_attempt }}
    path: @PLACE@
    if-no-files-found: @MISSING@
    compression-level: 0
    @RETENTION@
)";

// Its name is none of a result: no other job downloads it.
constexpr std::string_view kUploadFailure = R"(
- name: Upload the record of the failure
  if: failure() || cancelled()
  uses: @UPLOAD@
  with:
    name: failed-@ARTIFACT@-${{ github.run_attempt }}
    path: |
      @JOURNAL@
      @GATE@
    if-no-files-found: ignore
    overwrite: true
    @RETENTION@
)";

// A single artifact would be unpacked without a directory that has its name. The pattern also
// matches the plan, so there is never a single one, and a missing checkpoint is not an error.
constexpr std::string_view kDownloadCheckpoint = R"(
- name: Download the checkpoint
  uses: @DOWNLOAD@
  with:
    pattern: '{plan,@NAME@}'
    path: @PLACE@
)";

constexpr std::string_view kUploadCheckpoint = R"(
- name: Upload the checkpoint
  @CONDITION@
  uses: @UPLOAD@
  with:
    name: @NAME@
    path: @PLACE@/@NAME@
    if-no-files-found: ignore
    overwrite: true
    compression-level: 1
    @RETENTION@
)";

/// The artifact with the checkpoint of a row.
constexpr const char* kCheckpointName = "checkpoint.${{ matrix.artifact }}";

/// The stores of a command, nearest first.
std::string stores_of(const WorkflowFacts& facts, Results results) {
  std::string text = "--store " + shell_quote(fmt::format("artifacts:{}", kDownloadedResults));
  if (results == Results::read_and_write) {
    text += " --store " + shell_quote(fmt::format("dir:{}", kOwnResults));
  }
  const std::string& store = facts.settings.store;
  if (store.empty()) return text;
  if (facts.set != WorkflowSet::ci || store.ends_with(",ro")) {
    return text + " --store " + shell_quote(store);
  }
  // Only one access suffix is allowed.
  const bool written = store.ends_with(",rw");
  return fmt::format(
      "{} --store {}${{{{ github.event.pull_request.head.repo.fork == true && ',ro' || '{}' }}}}",
      text, shell_quote(written ? store.substr(0, store.size() - 3) : store), written ? ",rw" : "");
}

std::string retention_line(std::chrono::seconds retention) {
  return fmt::format("retention-days: {}\n", retention_days(retention));
}

/// The options of a checkout that fetches submodules and LFS files.
std::string checkout_options(const WorkflowFacts& facts) {
  std::vector<std::string> lines;
  if (facts.submodules) lines.emplace_back("submodules: recursive");
  if (facts.lfs) lines.emplace_back("lfs: true");
  return join(lines, "\n");
}

}  // namespace

std::string prepare(const WorkflowFacts& facts) {
  const matrix::JobContainer& container = facts.settings.container;
  if (container.image.empty() || container.prepare.empty()) return {};
  return filled(kPrepare, {{"COMMAND", yaml_string(container.prepare)}});
}

std::string checkout(const WorkflowFacts& facts) {
  const bool chosen = facts.set == WorkflowSet::release;
  std::string steps =
      filled(kCheckout, {{"CHECKOUT", pinned("actions/checkout")},
                         {"OPTIONS", checkout_options(facts)},
                         {"REF", chosen ? fmt::format("ref: ${{{{ {} }}}}", kReleased) : ""}});
  if (facts.settings.container.image.empty()) return steps;
  return prepare(facts) + steps + filled(kTrust, {});
}

std::string plan_argument() {
  return shell_quote(kPlanFile);
}

std::string download_plan() {
  return filled(kDownloadPlan,
                {{"DOWNLOAD", pinned("actions/download-artifact")}, {"PLACE", kPlaceOfRun}});
}

std::string download_results(std::string_view name, std::string_view condition,
                             std::string_view pattern) {
  return filled(kDownloadResults, {{"NAME", std::string(name)},
                                   {"CONDITION", std::string(condition)},
                                   {"DOWNLOAD", pinned("actions/download-artifact")},
                                   {"PATTERN", fmt::format("'{{plan,{}}}'", pattern)},
                                   {"PLACE", kDownloadedResults}});
}

std::string results_pattern(const WorkflowFacts& facts) {
  // Of all kinds of steps, only `device` begins with this letter.
  return facts.device_chunks == 0 ? "result-*" : "result-[!d]*";
}

std::string download_results(const WorkflowFacts& facts) {
  return download_results("Download the results", {}, results_pattern(facts));
}

std::string upload_result(const WorkflowFacts& facts, std::string_view artifact,
                          const std::string& condition, MissingResult missing) {
  const char* const none = missing == MissingResult::ignored
                               ? "ignore"
                               : "${{ github.run_attempt > 1 && 'ignore' || 'error' }}";
  return filled(kUploadResult, {{"CONDITION", condition},
                                {"MISSING", none},
                                {"UPLOAD", pinned("actions/upload-artifact")},
                                {"ARTIFACT", std::string(artifact)},
                                {"PLACE", kOwnResults},
                                {"RETENTION", retention_of(facts)}});
}

std::string upload_failure(const WorkflowFacts& facts, std::string_view artifact) {
  if (facts.set != WorkflowSet::ci) return {};
  return filled(kUploadFailure, {{"UPLOAD", pinned("actions/upload-artifact")},
                                 {"ARTIFACT", std::string(artifact)},
                                 {"JOURNAL", kOwnJournal},
                                 {"GATE", kOwnGate},
                                 {"RETENTION", retention_of(facts)}});
}

std::string checkpoints_argument() {
  return shell_quote(fmt::format("{}/{}", kCheckpoints, kCheckpointName));
}

std::string download_checkpoint() {
  return filled(kDownloadCheckpoint, {{"DOWNLOAD", pinned("actions/download-artifact")},
                                      {"NAME", kCheckpointName},
                                      {"PLACE", kCheckpoints}});
}

std::string upload_checkpoint(const WorkflowFacts& facts, const std::string& condition) {
  return filled(kUploadCheckpoint,
                {{"CONDITION", condition},
                 {"UPLOAD", pinned("actions/upload-artifact")},
                 {"NAME", kCheckpointName},
                 {"PLACE", kCheckpoints},
                 {"RETENTION", retention_line(facts.settings.checkpoint_retention)}});
}

std::string after(const std::string& job) {
  return fmt::format("${{{{ !cancelled() && needs.{}.result == 'success' }}}}", job);
}

std::string has_rows(const Job& job) {
  return fmt::format("contains({}, '\"step\"')", job.rows);
}

std::string own_lines(std::string_view name) {
  return fmt::format("# pinwheel: keep {}\n# pinwheel: end\n", name);
}

std::string secrets_of(const WorkflowFacts& facts) {
  if (facts.secrets.empty()) return {};
  std::string text = "env:\n";
  for (const std::string& name : facts.secrets) {
    // These are the repository's secrets: an environment would make the job wait for an approval,
    // which builds do not need.
    text += fmt::format(
        "  {0}: ${{{{ contains(matrix.secrets, '{0}') && secrets.{0} || '' }}}}"
        " # zizmor: ignore[secrets-outside-env]\n",
        name);
  }
  return text;
}

std::string args(std::string_view command, const WorkflowFacts& facts, Results results) {
  return "args: " + yaml_string(fmt::format("{} {}", command, stores_of(facts, results)));
}

std::string retention_of(const WorkflowFacts& facts) {
  if (facts.set == WorkflowSet::release) return {};
  return retention_line(facts.settings.retention);
}

std::int64_t retention_days(std::chrono::seconds retention) {
  return std::max<std::int64_t>(1, std::chrono::ceil<std::chrono::days>(retention).count());
}

int job_limit(const matrix::CiSettings& settings) {
  return static_cast<int>(
      std::max<std::int64_t>(1, std::chrono::ceil<std::chrono::minutes>(settings.timeout).count()));
}

}  // namespace pinwheel::ci
