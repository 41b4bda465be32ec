#pragma once
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "ci/job.h"
#include "ci/workflow_facts.h"

// Common parts of a workflow's jobs, as lines without indentation.

namespace pinwheel::ci {

/// The step that runs `ci.container.prepare`; empty without one.
std::string prepare(const WorkflowFacts& facts);

/// The steps that check out the commit with its tags, submodules and files of Git LFS, and no
/// credentials; for a release, the tag that a person chose. In a container, a step before them
/// prepares it, and a step after them trusts the checkout.
std::string checkout(const WorkflowFacts& facts);

/// Below the runner's directory for temporary files, which is empty when a job begins: the plan of
/// the run, results of other jobs, results of this one, its journal, and why its test has too
/// little evidence. Committed files with such names are never read.
inline constexpr const char* kPlaceOfRun = "${{ runner.temp }}/pinwheel-run";
inline constexpr const char* kPlanFile = "${{ runner.temp }}/pinwheel-run/plan.json";
inline constexpr const char* kDownloadedResults = "${{ runner.temp }}/pinwheel-run/in";
inline constexpr const char* kOwnResults = "${{ runner.temp }}/pinwheel-run/out";
inline constexpr const char* kOwnJournal =
    "${{ runner.temp }}/pinwheel-run/state/journal.jsonl";  // as in ci/composite
inline constexpr const char* kOwnGate =
    "${{ runner.temp }}/pinwheel-run/state/gate.json";  // `plan::kGateFile`
/// Checkpoints of builds that continue in another job.
inline constexpr const char* kCheckpoints = "${{ runner.temp }}/pinwheel-run/checkpoints";

/// `kPlanFile` as one of the arguments of pinwheel.
std::string plan_argument();

/// The step that downloads the plan.
std::string download_plan();

/// The step that downloads the results whose artifacts match a pattern into `kDownloadedResults`,
/// each artifact into a directory of its name, which states its step and attempt.
std::string download_results(std::string_view name, std::string_view condition,
                             std::string_view pattern);
/// The pattern for the artifacts with the results of all jobs, without device code, which only its
/// build needs.
std::string results_pattern(const WorkflowFacts& facts);
/// The step that downloads these.
std::string download_results(const WorkflowFacts& facts);

/// Whether a job may have no result: another job continues its build, or a store has the wheel for
/// which it would compile device code.
enum class MissingResult { rejected, ignored };
/// The step that uploads the result of the job's step, as the artifact `result-ARTIFACT-ATTEMPT`.
std::string upload_result(const WorkflowFacts& facts, std::string_view artifact,
                          const std::string& condition,
                          MissingResult missing = MissingResult::rejected);

/// The directory with the checkpoints of the row's build, as the argument of `--checkpoints`.
std::string checkpoints_argument();
/// The step that downloads the checkpoint of the row's build, if there is one.
std::string download_checkpoint();
/// The step that uploads it in place of an earlier one; `condition` as for `upload_result`.
std::string upload_checkpoint(const WorkflowFacts& facts, const std::string& condition);

/// The step that uploads the journal of a job that failed or was stopped, as the artifact
/// `failed-ARTIFACT-ATTEMPT`, from which the job `compare` learns why. Empty for workflows without
/// such a job.
std::string upload_failure(const WorkflowFacts& facts, std::string_view artifact);

/// The condition of a job or a step that no pull request from a fork runs.
inline constexpr const char* kNotFork = "github.event.pull_request.head.repo.fork != true";

/// The expression for the ref that a release is made of. A branch may have the name of a tag.
inline constexpr const char* kReleased =
    "inputs.tag && format('refs/tags/{0}', inputs.tag) || github.ref";

/// The condition of a job that follows only `job`. Without it, GitHub skips a job if any job before
/// `job` was skipped, for instance one without rows, even if the gate succeeded.
std::string after(const std::string& job);
/// The condition that a job has rows: GitHub rejects an empty matrix, so a job without rows has to
/// be skipped. Each row has a step.
std::string has_rows(const Job& job);

/// The place for a person's own lines.
std::string own_lines(std::string_view name);

/// `env:` with the variables that builds and tests get from secrets, each only in the rows whose
/// step needs it; empty if there are none.
std::string secrets_of(const WorkflowFacts& facts);

/// `args:` of a step: a command of pinwheel, followed by its stores, nearest first: the results of
/// other jobs, those of this job, and the store of the matrix, which a fork only reads.
enum class Results { read, read_and_write };
std::string args(std::string_view command, const WorkflowFacts& facts, Results results);

/// `retention-days:` of an artifact; empty for a release, whose artifacts are stored as
/// long as the repository allows.
std::string retention_of(const WorkflowFacts& facts);

/// The whole days for which artifacts are stored, at least 1.
std::int64_t retention_days(std::chrono::seconds retention);

/// The time limit of the matrix for a job in minutes, at least 1.
int job_limit(const matrix::CiSettings& settings);

}  // namespace pinwheel::ci
