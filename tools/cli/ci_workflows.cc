#include "cli/ci_workflows.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/text.h"
#include "ci/composite.h"
#include "ci/job_rows.h"
#include "ci/kept.h"
#include "ci/publish_auth.h"
#include "ci/workflow.h"
#include "env/engine.h"
#include "matrix/settings.h"
#include "matrix/target_place.h"
#include "plan/make_plan.h"
#include "prepare/check_channels.h"
#include "prepare/checkout_state.h"
#include "prepare/host.h"
#include "prepare/load.h"
#include "prepare/product.h"

namespace pinwheel::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kWorkflows = ".github/workflows";
constexpr std::string_view kPlanArch = "x86_64";  // of the runner of the job `plan`

const matrix::ChannelSettings* channel_of(const matrix::Matrix& matrix, std::string_view name) {
  const auto found = std::ranges::find(matrix.channels, name, &matrix::ChannelSettings::name);
  return found == matrix.channels.end() ? nullptr : &*found;
}

/// Those that the command line names, else those that the matrix gives.
Result<std::vector<ci::WorkflowSet>> sets_of(const std::vector<std::string>& names,
                                             const matrix::Matrix& matrix) {
  std::vector<ci::WorkflowSet> sets;
  for (const ci::WorkflowSet set : ci::kWorkflowSets) {
    const std::string name(ci::to_string(set));
    const bool declared = channel_of(matrix, name) != nullptr || set == ci::WorkflowSet::ci;
    const bool asked = std::ranges::find(names, name) != names.end();
    if (asked && !declared) {
      return fail(ErrorKind::config,
                  fmt::format("{} declares no channel {}", quoted(matrix.file), quoted(name)),
                  fmt::format("add it: {}", quoted(fmt::format(
                                                "channels: {{{}: {{publish: [TARGET]}}}}", name))));
    }
    if (asked || (names.empty() && declared)) sets.push_back(set);
  }
  return sets;
}

bool is_directory(const ci::PublishJob& job) {
  return matrix::place_of(job.kind) == matrix::TargetPlace::directory;
}

/// The targets of a channel; a test index comes first, so that the others get what it accepted.
std::vector<ci::PublishJob> publish_jobs_of(const matrix::Matrix& matrix,
                                            const matrix::ChannelSettings& channel,
                                            const fs::path& directory) {
  std::vector<ci::PublishJob> jobs;
  for (const std::string& name : channel.publish) {
    const auto target = std::ranges::find(matrix.targets, name, &matrix::PublishTarget::name);
    ci::PublishJob job{name, target->kind, ci::auth_of(*target), {}, {}};
    if (is_directory(job)) {
      job.directory = (directory / target->path).lexically_normal().string();
    }
    const auto environment = matrix.ci.environments.find(name);
    if (environment != matrix.ci.environments.end()) job.environment = environment->second;
    if (job.environment.empty() && job.auth != ci::PublishAuth::none) job.environment = name;
    jobs.push_back(std::move(job));
  }
  std::stable_partition(jobs.begin(), jobs.end(),
                        [](const ci::PublishJob& job) { return ci::is_trial(job.kind); });
  return jobs;
}

/// The plan of an outline, of whatever version; with its publications if it has targets.
Result<plan::Plan> planned(const prepare::Loaded& loaded, const plan::Outline& outline,
                           const std::vector<std::string>& targets, const std::string& engine) {
  plan::PlanOptions options;
  options.engine = env::parse_engine(engine).value_or(env::Engine::host);
  options.stage = targets.empty() ? plan::Stage::test : plan::Stage::publish;
  options.targets = targets;
  plan::PlanFacts facts;
  facts.version = {prepare::kAnyVersion, ""};
  return plan::make_plan(loaded.matrix, loaded.expansion, outline, facts, options);
}

/// The projects whose wheels go to a target, each once.
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

struct ChunkCounts {
  size_t builds = 0;
  size_t tests = 0;
};

/// The chunks of the rows that a plan of the outline has.
Result<ChunkCounts> chunks_of(const prepare::Loaded& loaded, const plan::Outline& outline,
                              const plan::Plan& plan) {
  const auto rows_of = [&](ci::Rows rows) {
    return ci::row_chunks(plan, outline, loaded.expansion.variants, loaded.matrix.ci, rows);
  };
  TRY(const ci::RowChunks builds, rows_of(ci::Rows::builds));
  TRY(const ci::RowChunks tests, rows_of(ci::Rows::tests));
  return ChunkCounts{builds.chunks.size(), tests.chunks.size()};
}

/// Whether some of the variants are built in containers, and whether in any of another architecture
/// than the job `plan` has.
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

/// The engine of the jobs; empty: their steps run on their own system.
std::string engine_of(const matrix::CiSettings& settings, const Contained& contained) {
  switch (settings.engine) {
    case matrix::JobEngine::host:
      return {};
    case matrix::JobEngine::docker:
      return "docker";
    case matrix::JobEngine::podman:
      return "podman";
    case matrix::JobEngine::automatic:
      break;
  }
  return contained.any && settings.container.image.empty() ? "docker" : "";
}

/// What a person may not expect of builds that have an image of their own.
std::vector<Error> engine_warnings(const ci::WorkflowFacts& facts, const Contained& contained) {
  const matrix::CiSettings& settings = facts.settings;
  const bool chosen = settings.engine != matrix::JobEngine::automatic;
  if (!contained.any || !facts.engine.empty() || chosen) return {};
  return {Error{ErrorKind::config,
                "builds run in the image of `ci.container`, not in that of "
                "`environment.container`"}
              .with_hint("remove `ci.container` for builds in `environment.container`, or confirm "
                         "the choice: `ci: {engine: host}`")};
}

/// The directory as it is named from the root, so that it has a parent however it was written.
fs::path directory_of(const prepare::Host& host, const std::string& out) {
  const fs::path path = host.at(out);
  return path.has_filename() ? path : path.parent_path();
}

/// The variables that the steps of any of these variants get from the caller.
Result<std::vector<std::string>> secrets_of(const matrix::Matrix& matrix,
                                            const std::vector<matrix::Variant>& variants) {
  std::set<std::string> names;
  for (const matrix::Variant& variant : variants) {
    TRY(const matrix::Settings settings, matrix::settings_for(matrix, variant));
    names.insert(settings.environment.secrets.begin(), settings.environment.secrets.end());
  }
  return std::vector<std::string>(names.begin(), names.end());
}

Result<PlannedWorkflow> workflow_of(const prepare::Loaded& loaded, ci::WorkflowSet set,
                                    const fs::path& matrix_path) {
  ci::WorkflowFacts facts;
  facts.matrix = matrix_path.string();
  facts.settings = loaded.matrix.ci;
  std::vector<std::string> targets;
  if (const matrix::ChannelSettings* const channel =
          channel_of(loaded.matrix, ci::to_string(set))) {
    facts.channel = channel->name;
    targets = channel->publish;
    facts.publish = publish_jobs_of(loaded.matrix, *channel, matrix_path.parent_path());
  }
  prepare::SelectionOptions selection;
  selection.channel = facts.channel;
  TRY(const plan::Outline outline, prepare::select_outline(loaded, selection, {}, facts.channel));
  TRY(facts.secrets, secrets_of(loaded.matrix, outline.variants));
  TRY(const Contained contained, contained_in(loaded.matrix, outline.variants));
  facts.engine = engine_of(loaded.matrix.ci, contained);
  facts.emulated = !facts.engine.empty() && contained.other_arch;
  TRY(const plan::Plan plan, planned(loaded, outline, targets, facts.engine));
  for (ci::PublishJob& job : facts.publish) job.names = names_in(plan, job.target);
  TRY(const ChunkCounts chunks, chunks_of(loaded, outline, plan));
  facts.build_chunks = chunks.builds;
  facts.test_chunks = chunks.tests;
  std::vector<Error> warnings = engine_warnings(facts, contained);
  std::vector<plan::UnreachableEvidence> unreachable =
      plan::unreachable_evidence(plan, loaded.expansion.variants, loaded.matrix.ci);
  for (Error& each : plan::unreachable_warnings(unreachable)) warnings.push_back(std::move(each));
  for (Error& each : warnings) {
    each.message = fmt::format("{}: {}", ci::workflow_name(facts.settings, set), each.message);
  }
  return PlannedWorkflow{set, std::move(facts), std::move(warnings), std::move(unreachable)};
}

Result<std::string> text_at(ports::Files& files, const fs::path& path) {
  TRY(const ports::FileStatus status, files.status(path));
  if (status.type == ports::FileType::missing) return std::string();
  return files.read(path);
}

Result<GeneratedFile> generated(ports::Files& files, fs::path path, const std::string& text) {
  TRY(std::string existing, text_at(files, path));
  TRY(std::string kept, ci::with_kept(text, existing, path.string()));
  return GeneratedFile{std::move(path), std::move(kept), std::move(existing)};
}

tl::unexpected<Error> written_by_a_person(const fs::path& path, std::string hint) {
  return fail(ErrorKind::config,
              fmt::format("{} was not written by {}", quoted(path.string()),
                          quoted("pinwheel ci generate")),
              std::move(hint));
}

/// A file of another matrix, or of a person, is not replaced.
Done check_owner(const GeneratedFile& file, const std::string& matrix) {
  if (file.existing.empty()) return {};
  const std::string owner = ci::written_from(file.existing);
  if (owner == matrix) return {};
  if (owner.empty()) {
    return written_by_a_person(
        file.path, "move it away, or give the matrix a name of its own, `ci: {name: NAME}`");
  }
  return fail(ErrorKind::config,
              fmt::format("{} was written from {}, not from {}", quoted(file.path.string()),
                          quoted(owner), quoted(matrix)),
              "give one of the two a name of its own, `ci: {name: NAME}`; if the matrix file was "
              "moved, change its path in the first line");
}

Result<GeneratedFile> action_file(ports::Files& files, fs::path path) {
  TRY(GeneratedFile file,
      generated(files, std::move(path), ci::composite_action(prepare::kPinwheelVersion)));
  if (file.existing.empty() || ci::is_composite_action(file.existing)) return file;
  return written_by_a_person(file.path, "move it away: the jobs use the action at this path");
}

/// A copy under a name of its own is a person's.
bool is_workflow_name(const std::string& name) {
  return name.starts_with("pinwheel-") &&
         std::ranges::any_of(ci::kWorkflowSets, [&](ci::WorkflowSet set) {
           return name.ends_with(fmt::format("-{}.yml", ci::to_string(set)));
         });
}

/// The files in the directory of the workflows that the matrix has given before, and gives no more:
/// of a set without its channel, or under another name.
Result<std::vector<GeneratedFile>> outdated(ports::Files& files, const fs::path& workflows,
                                            const std::string& matrix,
                                            const std::set<std::string>& given) {
  std::vector<GeneratedFile> found;
  TRY(const ports::FileStatus status, files.status(workflows));
  if (status.type != ports::FileType::directory) return found;
  TRY(const std::vector<std::string> names, files.list(workflows));
  for (const std::string& name : names) {
    if (!is_workflow_name(name) || given.contains(name)) continue;
    const fs::path path = workflows / name;
    TRY(const ports::FileStatus file_status, files.status(path));
    if (file_status.type != ports::FileType::regular) continue;
    TRY(const std::string text, files.read(path));
    if (ci::written_from(text) != matrix) continue;
    TRY(GeneratedFile file, generated(files, path, {}));
    found.push_back(std::move(file));
  }
  return found;
}

/// What a workflow publishes to indexes that know their projects.
std::vector<Registration> registrations_of(const PlannedWorkflow& workflow) {
  std::vector<Registration> found;
  const std::string file = ci::workflow_name(workflow.facts.settings, workflow.set) + ".yml";
  for (const ci::PublishJob& job : workflow.facts.publish) {
    if (is_directory(job) || job.names.empty()) continue;
    found.push_back(
        {job.target, file, job.environment, job.auth == ci::PublishAuth::trusted, job.names});
  }
  return found;
}

/// The names of the files of all sets, whichever are asked for.
Result<std::set<std::string>> file_names_of(const matrix::Matrix& matrix) {
  TRY(const std::vector<ci::WorkflowSet> sets, sets_of({}, matrix));
  std::set<std::string> names;
  for (const ci::WorkflowSet set : sets) names.insert(ci::workflow_name(matrix.ci, set) + ".yml");
  return names;
}

}  // namespace

Result<std::vector<PlannedWorkflow>> planned_workflows(const prepare::Loaded& loaded,
                                                       const std::vector<std::string>& names,
                                                       const fs::path& matrix_path) {
  TRY(const std::vector<ci::WorkflowSet> sets, sets_of(names, loaded.matrix));
  TRY_DONE(prepare::check_channels(loaded, {}, {prepare::kAnyVersion}));
  std::vector<PlannedWorkflow> workflows;
  for (const ci::WorkflowSet set : sets) {
    TRY(PlannedWorkflow workflow, workflow_of(loaded, set, matrix_path));
    workflows.push_back(std::move(workflow));
  }
  return workflows;
}

Result<GeneratedFiles> generated_files(const prepare::Host& host, const CiPlace& place,
                                       Streams& streams) {
  std::vector<std::string> named;
  if (!place.matrix.empty()) named.push_back(place.matrix);
  TRY(const prepare::MatrixChoice choice, prepare::choose_matrix(host, named));
  TRY(const prepare::Loaded loaded,
      prepare::load_matrix(host.files, choice.path, streams, prepare::Warnings::tell));
  TRY(const ports::GitFacts checkout,
      host.git.facts(loaded.matrix.directory, ports::WorkTree::ignore));
  TRY(const fs::path matrix, host.files.without_links(loaded.matrix.file));
  TRY(const fs::path root, host.files.without_links(checkout.root));
  const fs::path workflows = place.out.empty() ? root / kWorkflows : directory_of(host, place.out);
  const fs::path relative = matrix.lexically_relative(root);
  TRY(std::vector<PlannedWorkflow> planned_sets, planned_workflows(loaded, place.sets, relative));
  const prepare::BesideFiles beside = prepare::beside_files(host.git, host.files, root);
  GeneratedFiles made{loaded.matrix.file, {}, {}};
  for (PlannedWorkflow& workflow : planned_sets) {
    workflow.facts.submodules = beside.submodules;
    workflow.facts.lfs = beside.lfs;
    for (const Error& warning : workflow.warnings) streams.warn(warning);
    for (Registration& each : registrations_of(workflow)) {
      made.registrations.push_back(std::move(each));
    }
    const std::string name = ci::workflow_name(workflow.facts.settings, workflow.set) + ".yml";
    TRY(GeneratedFile file,
        generated(host.files, workflows / name, ci::workflow_text(workflow.facts, workflow.set)));
    TRY_DONE(check_owner(file, relative.string()));
    made.files.push_back(std::move(file));
  }
  TRY(const std::set<std::string> names, file_names_of(loaded.matrix));
  TRY(const std::vector<GeneratedFile> old,
      outdated(host.files, workflows, relative.string(), names));
  made.files.insert(made.files.end(), old.begin(), old.end());
  const fs::path action = workflows.parent_path() / "actions" / "pinwheel" / "action.yml";
  TRY(GeneratedFile file, action_file(host.files, action));
  made.files.push_back(std::move(file));
  return made;
}

}  // namespace pinwheel::cli
