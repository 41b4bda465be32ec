#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "base/text.h"
#include "ci/composite.h"
#include "ci/own_lines.h"
#include "ci/pins.h"
#include "ci/workflow.h"
#include "cli/ci_workflows.h"
#include "cli/commands.h"
#include "host/git/git.h"
#include "ports/files.h"
#include "prepare/checkout_state.h"
#include "prepare/host.h"
#include "prepare/load.h"

// `ci generate` and `ci check` write or compare the files that are generated from a matrix.

namespace pinwheel::cli {
namespace {

namespace fs = std::filesystem;

/// A generated file and its current version.
struct GeneratedFile {
  std::filesystem::path path;
  std::string text;      ///< the generated text with the lines that a person added; empty: no file
  std::string existing;  ///< the current text; empty if there is no file
};

/// The projects that a workflow publishes to an index, where they must be registered.
struct Registration {
  std::string target;
  std::string workflow;     ///< the name of its file, "pinwheel-release.yml"
  std::string environment;  ///< of the job; empty: none
  bool trusted = false;     ///< the index trusts the job, which must be registered for each project
  std::vector<std::string> names;
};

struct GeneratedFiles {
  std::string matrix;  ///< the path of its file
  std::vector<GeneratedFile> files;
  std::vector<Registration> registrations = {};
};

constexpr const char* kWorkflows = ".github/workflows";

/// The directory as a path from the root, so that it has a parent however it was written.
fs::path directory_of(const prepare::Host& host, const std::string& out) {
  const fs::path path = host.at(out);
  return path.has_filename() ? path : path.parent_path();
}

Result<std::string> text_at(ports::Files& files, const fs::path& path) {
  TRY(const ports::FileStatus status, files.status(path));
  if (status.type == ports::FileType::missing) return std::string();
  return files.read(path);
}

Result<GeneratedFile> generated(ports::Files& files, fs::path path, const std::string& text) {
  TRY(std::string existing, text_at(files, path));
  TRY(std::string merged, ci::with_own_lines(text, existing, path.string()));
  return GeneratedFile{std::move(path), std::move(merged), std::move(existing)};
}

tl::unexpected<Error> written_by_a_person(const fs::path& path, std::string hint) {
  return fail(ErrorKind::config,
              fmt::format("{} was not written by {}", quoted(path.string()),
                          quoted("pinwheel ci generate")),
              std::move(hint));
}

/// Rejects a file of another matrix or of a person: it is not replaced.
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

/// Whether the name is one of a generated workflow. A copy under another name belongs to a person.
bool is_workflow_name(const std::string& name) {
  return name.starts_with("pinwheel-") &&
         std::ranges::any_of(ci::kWorkflowSets, [&](ci::WorkflowSet set) {
           return name.ends_with(fmt::format("-{}.yml", ci::to_string(set)));
         });
}

/// Workflows in the directory that were generated from the matrix and no longer are: of a set
/// without its channel, or under another name.
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

/// The projects that a workflow publishes to indexes where projects are registered.
std::vector<Registration> registrations_of(const ci::PlannedWorkflow& workflow) {
  std::vector<Registration> found;
  const std::string file = ci::workflow_name(workflow.facts.settings, workflow.facts.set) + ".yml";
  for (const ci::PublishJob& job : workflow.facts.publish) {
    if (!matrix::has_upload_api(job.kind) || job.names.empty()) continue;
    found.push_back(
        {job.target, file, job.environment, job.auth == ci::PublishAuth::trusted, job.names});
  }
  return found;
}

/// The file names of all sets, requested or not.
Result<std::set<std::string>> file_names_of(const matrix::Matrix& matrix) {
  TRY(const std::vector<ci::WorkflowSet> sets, ci::sets_of(matrix, {}));
  std::set<std::string> names;
  for (const ci::WorkflowSet set : sets) names.insert(ci::workflow_name(matrix.ci, set) + ".yml");
  return names;
}

/// The files of the requested workflows (by `--set`, else all whose channel the matrix declares,
/// and always `ci`), and the local action that they use, in `.github/actions/pinwheel` next to
/// their directory. Also contains workflows there that the matrix generated before and no longer
/// does. `config` if the matrix lacks the channel of a requested set, if the matrix is in no
/// repository, for added lines whose place no longer exists, and for a file that was generated from
/// another matrix or written by a person. Writes nothing.
Result<GeneratedFiles> generated_files(const prepare::Host& host, const CiPlace& place,
                                       Streams& streams) {
  std::vector<std::string> named;
  if (!place.matrix.empty()) named.push_back(place.matrix);
  TRY(const prepare::MatrixChoice choice, prepare::choose_matrix(host, named));
  TRY(const prepare::Loaded loaded,
      prepare::load_matrix(host.files, choice.path, streams, prepare::Warnings::print));
  TRY(const ports::GitFacts checkout,
      host.git.facts(loaded.matrix.directory, ports::WorkTree::ignore));
  TRY(const fs::path matrix, host.files.without_links(loaded.matrix.file));
  TRY(const fs::path root, host.files.without_links(checkout.root));
  const fs::path workflows = place.out.empty() ? root / kWorkflows : directory_of(host, place.out);
  const fs::path relative = matrix.lexically_relative(root);
  TRY(std::vector<ci::PlannedWorkflow> planned_sets,
      planned_workflows(loaded, place.sets, relative));
  const prepare::RepositoryTraits traits = prepare::repository_traits(host.git, host.files, root);
  GeneratedFiles made{loaded.matrix.file, {}, {}};
  for (ci::PlannedWorkflow& workflow : planned_sets) {
    workflow.facts.submodules = traits.submodules;
    workflow.facts.lfs = traits.lfs;
    for (const Error& warning : workflow.warnings) streams.warn(warning);
    for (Registration& each : registrations_of(workflow)) {
      made.registrations.push_back(std::move(each));
    }
    const ci::Workflow made_workflow = ci::make_workflow(workflow.facts);
    TRY(GeneratedFile file, generated(host.files, workflows / (made_workflow.name + ".yml"),
                                      ci::yaml_of(made_workflow)));
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

std::string_view state_of(const GeneratedFile& file) {
  if (file.text.empty()) return "removed";
  if (file.existing.empty()) return "new";
  return file.existing == file.text ? "unchanged" : "changed";
}

std::string made_json(const GeneratedFiles& made) {
  nlohmann::ordered_json files = nlohmann::ordered_json::array();
  for (const GeneratedFile& file : made.files) {
    files.push_back({{"path", file.path.string()}, {"state", state_of(file)}});
  }
  nlohmann::ordered_json registrations = nlohmann::ordered_json::array();
  for (const Registration& each : made.registrations) {
    registrations.push_back({{"target", each.target},
                             {"workflow", each.workflow},
                             {"environment", each.environment},
                             {"trusted", each.trusted},
                             {"names", each.names}});
  }
  return nlohmann::ordered_json{{"files", files}, {"register", registrations}}.dump(2) + "\n";
}

/// "register with `pypi`, with ... as the trusted publisher of each: `demo`, `demo-cpu`".
std::string register_line(const Registration& each) {
  std::string publisher;
  if (each.trusted) {
    publisher =
        fmt::format(", with {}{} as the trusted publisher of each", quoted(each.workflow),
                    each.environment.empty() ? "" : " and environment " + quoted(each.environment));
  }
  return fmt::format("register with {}{}: {}\n", quoted(each.target), publisher,
                     quoted_list(each.names));
}

/// Prints the pins that a list of releases would change.
Done check_updates(ports::Files& files, const std::string& path, Streams& streams) {
  if (path.empty()) return {};
  TRY(const std::string text, files.read(path));
  TRY(const std::vector<ci::Update> updates, ci::updates_in(text, path));
  for (const ci::Update& update : updates) {
    streams.note(fmt::format("{} is pinned to {}, and {} is there\n", quoted(update.pin.action),
                             update.pin.version, quoted(update.version)));
  }
  return {};
}

}  // namespace

Result<int> cmd_ci_generate(const prepare::Host& host, const prepare::GlobalOptions& /*global*/,
                            const CiGenerateOptions& options, Streams& streams) {
  TRY(const GeneratedFiles made, generated_files(host, options.place, streams));
  for (const GeneratedFile& file : made.files) {
    if (file.text == file.existing) continue;
    if (file.text.empty()) {
      TRY_DONE(host.files.remove_all(file.path));
      continue;
    }
    TRY_DONE(host.files.make_directories(file.path.parent_path()));
    TRY_DONE(host.files.write(file.path, file.text));
  }
  if (options.json) {
    streams.json(made_json(made));
    return 0;
  }
  for (const GeneratedFile& file : made.files) {
    streams.note(fmt::format("{} {}\n", state_of(file), shell_quote(file.path.string())));
  }
  for (const Registration& each : made.registrations) streams.note(register_line(each));
  return 0;
}

Result<int> cmd_ci_check(const prepare::Host& host, const prepare::GlobalOptions& /*global*/,
                         const CiCheckOptions& options, Streams& streams) {
  TRY(const GeneratedFiles made, generated_files(host, options.place, streams));
  TRY_DONE(check_updates(host.files, options.updates, streams));
  std::vector<std::string> different;
  for (const GeneratedFile& file : made.files) {
    if (file.text == file.existing) continue;
    TRY(const std::string difference,
        host::text_difference(file.existing, file.text, file.path.string()));
    streams.data(difference);
    different.push_back(file.path.string());
  }
  if (different.empty()) return 0;
  return fail(ErrorKind::drift,
              fmt::format("{} not what {} gives",
                          different.size() == 1 ? quoted(different.front()) + " is"
                                                : quoted_list(different) + " are",
                          quoted(made.matrix)),
              fmt::format("run {}", quoted(fmt::format("pinwheel ci generate {}",
                                                       shell_quote(made.matrix)))));
}

}  // namespace pinwheel::cli
