#include "ci/planned_workflow.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/text.h"
#include "ci/job_rows.h"
#include "container/engine.h"
#include "matrix/settings.h"
#include "matrix/target_kind.h"
#include "plan/make_plan.h"
#include "plan/promotion.h"

namespace pinwheel::ci {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPlanArch = "x86_64";  // of the runner of the job `plan`
constexpr const char* kSomeVersion = "1.0";  // of a plan that only names projects and counts rows

/// PyPI trusts a job by its identity; a private index requires a token.
PublishAuth usual_auth(matrix::TargetKind kind) {
  switch (kind) {
    case matrix::TargetKind::pypi:
    case matrix::TargetKind::testpypi:
      return PublishAuth::trusted;
    case matrix::TargetKind::index:
      return PublishAuth::token;
    case matrix::TargetKind::github_release:
      return PublishAuth::contents;
    case matrix::TargetKind::s3:
      return PublishAuth::aws;
    case matrix::TargetKind::directory:
      break;
  }
  return PublishAuth::none;
}

const matrix::ChannelSettings* channel_named(const matrix::Matrix& matrix, std::string_view name) {
  const auto found = std::ranges::find(matrix.channels, name, &matrix::ChannelSettings::name);
  return found == matrix.channels.end() ? nullptr : &*found;
}

/// The publications of a channel. A test index comes first: the others get the files that it
/// accepted. The target through which it publishes comes before all others.
std::vector<PublishJob> publish_jobs_of(const matrix::Matrix& matrix,
                                        const matrix::ChannelSettings& channel,
                                        const fs::path& directory) {
  std::vector<PublishJob> jobs;
  for (const std::string& name : plan::targets_of(matrix, channel.name, {})) {
    const auto target = std::ranges::find(matrix.targets, name, &matrix::PublishTarget::name);
    PublishJob job{name, target->kind, auth_of(*target), {}, {}};
    job.attestations = target->attestations;
    if (is_directory(job)) {
      job.directory = (directory / target->path).lexically_normal().string();
    }
    const auto environment = matrix.ci.environments.find(name);
    if (environment != matrix.ci.environments.end()) job.environment = environment->second;
    if (job.environment.empty() && job.auth != PublishAuth::none) job.environment = name;
    jobs.push_back(std::move(job));
  }
  std::stable_partition(jobs.begin(), jobs.end(),
                        [](const PublishJob& job) { return is_trial(job.kind); });
  std::stable_partition(jobs.begin(), jobs.end(), [&channel](const PublishJob& job) {
    return job.target == channel.through;
  });
  return jobs;
}

/// The plan of an outline, in any version; with the publications of its channel, which may be null.
Result<plan::Plan> planned(const matrix::Matrix& matrix, const matrix::Expansion& expansion,
                           const plan::Outline& outline, const matrix::ChannelSettings* channel,
                           container::Engine engine) {
  plan::PlanOptions options;
  options.engine = engine;
  if (channel != nullptr) {
    options.targets = plan::targets_of(matrix, channel->name, {});
    options.through = channel->through;
  }
  options.stage = options.targets.empty() ? plan::Stage::test : plan::Stage::publish;
  plan::PlanFacts facts;
  facts.version = {kSomeVersion, ""};
  return plan::make_plan(matrix, expansion, outline, facts, options);
}

/// The projects whose wheels go to a target, without duplicates.
std::vector<std::string> names_in(const plan::Plan& plan, const std::string& target) {
  std::vector<std::string> names;
  for (const plan::Step& step : plan.steps) {
    const auto* const publish = std::get_if<plan::Publish>(&step.action);
    if (publish == nullptr || publish->target.name != target) continue;
    for (const std::string& build : publish->builds) {
      const auto naming = publish->names.find(build);
      if (naming == publish->names.end()) continue;
      const std::string& name = naming->second.distribution;
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
  }
  return names;
}

/// How many chunks of rows a plan of the outline has.
Result<size_t> chunks_of(const matrix::Matrix& matrix, const matrix::Expansion& expansion,
                         const plan::Outline& outline, const plan::Plan& plan, Rows rows) {
  TRY(const RowChunks made, row_chunks(plan, outline, expansion.variants, matrix.ci, rows));
  return made.chunks.size();
}

/// The rows of a plan that have a runner.
Result<std::vector<JobRow>> placed_rows(const matrix::Matrix& matrix,
                                        const matrix::Expansion& expansion,
                                        const plan::Outline& outline, const plan::Plan& plan,
                                        Rows rows) {
  TRY(std::vector<JobRow> all, job_rows(plan, outline, expansion.variants, matrix.ci, rows));
  std::erase_if(all, [](const JobRow& row) { return !row.runner; });
  return all;
}

/// The jobs of the longest chain of a build.
size_t longest_chain(const std::vector<JobRow>& builds) {
  const auto longest = std::ranges::max_element(builds, {}, &JobRow::links);
  return longest == builds.end() ? 1 : longest->links;
}

/// `config` if the jobs of a build would have to stop it before it starts.
Done check_checkpoints(const plan::Plan& plan, const matrix::CiSettings& settings) {
  for (const plan::Step& step : plan.steps) {
    const auto* const build = std::get_if<plan::BuildWheel>(&step.action);
    if (build == nullptr || !build->settings.build.checkpoint) continue;
    const auto before = build->settings.build.checkpoint->before;
    if (before < settings.timeout) continue;
    return fail(
        ErrorKind::config,
        fmt::format("`build.checkpoint.before` of {} is {}, and its job has {}", quoted(step.id),
                    format_duration(before), format_duration(settings.timeout)),
        "make it shorter than `ci.timeout`");
  }
  return {};
}

/// Whether some of the variants are built in containers, and whether any of these has another
/// architecture than the job `plan`.
struct Contained {
  bool any = false;
  bool other_arch = false;
};

Result<Contained> contained_in(const matrix::Matrix& matrix,
                               const std::vector<matrix::Variant>& variants) {
  Contained contained;
  for (const matrix::Variant& variant : variants) {
    TRY(const matrix::Settings settings, matrix::settings_for(matrix, variant));
    if (settings.environment.container.base.empty()) continue;
    contained.any = true;
    const std::string& arch = variant.get("arch");
    if (!arch.empty() && arch != kPlanArch) contained.other_arch = true;
  }
  return contained;
}

container::Engine engine_of(const matrix::CiSettings& settings, const Contained& contained) {
  switch (settings.engine) {
    case matrix::JobEngine::host:
      return container::Engine::host;
    case matrix::JobEngine::docker:
      return container::Engine::docker;
    case matrix::JobEngine::podman:
      return container::Engine::podman;
    case matrix::JobEngine::automatic:
      break;
  }
  return contained.any && settings.container.image.empty() ? container::Engine::docker
                                                           : container::Engine::host;
}

/// The warning that builds do not run in the image of `environment.container`.
std::vector<Error> engine_warnings(const WorkflowFacts& facts, const Contained& contained) {
  const matrix::CiSettings& settings = facts.settings;
  const bool chosen = settings.engine != matrix::JobEngine::automatic;
  if (!contained.any || facts.engine != container::Engine::host || chosen) return {};
  return {Error{ErrorKind::config,
                "builds run in the image of `ci.container`, not in that of "
                "`environment.container`"}
              .with_hint("remove `ci.container` for builds in `environment.container`, or confirm "
                         "the choice: `ci: {engine: host}`")};
}

/// The variables that the steps of any of these variants get from the caller.
Result<std::vector<std::string>> secret_names(const matrix::Matrix& matrix,
                                              const std::vector<matrix::Variant>& variants) {
  std::set<std::string> names;
  for (const matrix::Variant& variant : variants) {
    TRY(const matrix::Settings settings, matrix::settings_for(matrix, variant));
    names.insert(settings.environment.secrets.begin(), settings.environment.secrets.end());
  }
  return std::vector<std::string>(names.begin(), names.end());
}

}  // namespace

PublishAuth auth_of(const matrix::PublishTarget& target) {
  if (matrix::place_of(target.kind) == matrix::TargetPlace::directory) {
    return target.files.empty() ? PublishAuth::none : PublishAuth::reading;
  }
  switch (target.auth) {
    case matrix::UploadAuth::none:
      return PublishAuth::none;
    case matrix::UploadAuth::token:
      return PublishAuth::token;
    case matrix::UploadAuth::trusted:
      return PublishAuth::trusted;
    case matrix::UploadAuth::automatic:
      break;
  }
  return usual_auth(target.kind);
}

bool is_trial(matrix::TargetKind kind) {
  switch (kind) {
    case matrix::TargetKind::testpypi:
      return true;
    case matrix::TargetKind::pypi:
    case matrix::TargetKind::index:
    case matrix::TargetKind::directory:
    case matrix::TargetKind::s3:
    case matrix::TargetKind::github_release:
      break;
  }
  return false;
}

Result<std::vector<WorkflowSet>> sets_of(const matrix::Matrix& matrix,
                                         const std::vector<std::string>& names) {
  std::vector<WorkflowSet> sets;
  for (const WorkflowSet set : kWorkflowSets) {
    const std::string name(to_string(set));
    const bool declared = channel_named(matrix, name) != nullptr || set == WorkflowSet::ci;
    const bool requested = std::ranges::find(names, name) != names.end();
    if (requested && !declared) {
      return fail(ErrorKind::config,
                  fmt::format("{} declares no channel {}", quoted(matrix.file), quoted(name)),
                  fmt::format("add it: {}", quoted(fmt::format(
                                                "channels: {{{}: {{publish: [TARGET]}}}}", name))));
    }
    if (requested || (names.empty() && declared)) sets.push_back(set);
  }
  return sets;
}

std::string channel_of(const matrix::Matrix& matrix, WorkflowSet set) {
  return channel_named(matrix, to_string(set)) == nullptr ? std::string()
                                                          : std::string(to_string(set));
}

Result<PlannedWorkflow> plan_workflow(const matrix::Matrix& matrix,
                                      const matrix::Expansion& expansion,
                                      const plan::Outline& outline, WorkflowSet set,
                                      const fs::path& matrix_path) {
  WorkflowFacts facts;
  facts.set = set;
  facts.matrix = matrix_path.string();
  facts.settings = matrix.ci;
  const matrix::ChannelSettings* const channel = channel_named(matrix, to_string(set));
  if (channel != nullptr) {
    facts.channel = channel->name;
    // The checks of a commit publish nothing.
    if (set != WorkflowSet::ci) facts.through = channel->through;
    facts.publish = publish_jobs_of(matrix, *channel, matrix_path.parent_path());
  }
  TRY(facts.secrets, secret_names(matrix, outline.variants));
  TRY(const Contained contained, contained_in(matrix, outline.variants));
  facts.engine = engine_of(matrix.ci, contained);
  facts.emulated = facts.engine != container::Engine::host && contained.other_arch;
  TRY(const plan::Plan plan, planned(matrix, expansion, outline, channel, facts.engine));
  for (PublishJob& job : facts.publish) job.names = names_in(plan, job.target);
  TRY(facts.build_chunks, chunks_of(matrix, expansion, outline, plan, Rows::builds));
  TRY(facts.test_chunks, chunks_of(matrix, expansion, outline, plan, Rows::tests));
  TRY(facts.install_chunks, chunks_of(matrix, expansion, outline, plan, Rows::installs));
  WorkflowRows rows;
  TRY_DONE(check_checkpoints(plan, matrix.ci));
  TRY(rows.devices, placed_rows(matrix, expansion, outline, plan, Rows::devices));
  if (!rows.devices.empty()) {
    TRY(facts.device_chunks, chunks_of(matrix, expansion, outline, plan, Rows::devices));
  }
  TRY(rows.builds, placed_rows(matrix, expansion, outline, plan, Rows::builds));
  facts.build_links = longest_chain(rows.builds);
  TRY(rows.tests, placed_rows(matrix, expansion, outline, plan, Rows::tests));
  TRY(rows.installs, placed_rows(matrix, expansion, outline, plan, Rows::installs));
  std::vector<Error> warnings = engine_warnings(facts, contained);
  std::vector<plan::UnreachableEvidence> unreachable =
      plan::unreachable_evidence(plan, expansion.variants, matrix.ci);
  for (Error& each : plan::unreachable_warnings(unreachable)) warnings.push_back(std::move(each));
  for (Error& each : warnings) {
    each.message = fmt::format("{}: {}", workflow_name(facts.settings, set), each.message);
  }
  return PlannedWorkflow{std::move(facts), std::move(rows), std::move(warnings),
                         std::move(unreachable)};
}

}  // namespace pinwheel::ci
