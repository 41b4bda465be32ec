#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "base/text.h"
#include "ci/composite.h"
#include "ci/gitlab.h"
#include "ci/kubernetes.h"
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

/// The directory of a service's files in a checkout.
constexpr const char* directory_in_checkout(CiService service) {
  switch (service) {
    case CiService::gitlab:
      return ci::kGitLabDirectory;
    case CiService::kubernetes:
      return ci::kKubernetesDirectory;
    case CiService::github:
      break;
  }
  return ".github/workflows";
}

/// The option of the service, after the other arguments; empty for the default.
constexpr const char* option_of(CiService service) {
  switch (service) {
    case CiService::gitlab:
      return " --for gitlab";
    case CiService::kubernetes:
      return " --for kubernetes";
    case CiService::github:
      break;
  }
  return "";
}

constexpr const char* extension_of(CiService service) {
  return service == CiService::kubernetes ? ".yaml" : ".yml";
}

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

/// Whether the name is one of a generated file of the set: its workflow, or a part of its pipeline.
/// A copy under another name belongs to a person.
bool is_name_of_set(std::string name, ci::WorkflowSet set, CiService service) {
  const std::string extension = extension_of(service);
  if (!name.starts_with("pinwheel-") || !name.ends_with(extension)) return false;
  name.resize(name.size() - extension.size());
  if (service == CiService::gitlab) {
    name.resize(name.find_last_not_of("0123456789") + 1);
    for (const std::string_view part : {"-build-", "-test-"}) {
      if (name.ends_with(part)) name.resize(name.size() - part.size());
    }
  }
  return name.ends_with(fmt::format("-{}", ci::to_string(set)));
}

/// Files in the directory that were generated from the matrix and no longer are: of a set without
/// its channel, under another name, or a part that a pipeline of `sets` no longer has.
Result<std::vector<GeneratedFile>> outdated(ports::Files& files, const fs::path& directory,
                                            const std::string& matrix, CiService service,
                                            const std::set<std::string>& given) {
  std::vector<GeneratedFile> found;
  TRY(const ports::FileStatus status, files.status(directory));
  if (status.type != ports::FileType::directory) return found;
  TRY(const std::vector<std::string> names, files.list(directory));
  for (const std::string& name : names) {
    const bool generated_name = std::ranges::any_of(
        ci::kWorkflowSets, [&](ci::WorkflowSet set) { return is_name_of_set(name, set, service); });
    if (!generated_name || given.contains(name)) continue;
    const fs::path path = directory / name;
    TRY(const ports::FileStatus file_status, files.status(path));
    if (file_status.type != ports::FileType::regular) continue;
    TRY(const std::string text, files.read(path));
    if (ci::written_from(text) != matrix) continue;
    TRY(GeneratedFile file, generated(files, path, {}));
    found.push_back(std::move(file));
  }
  return found;
}

/// The file that GitLab reads, whose name an index trusts.
constexpr const char* kGitLabFile = ".gitlab-ci.yml";

/// The projects that a workflow publishes to indexes where projects are registered.
std::vector<Registration> registrations_of(const ci::PlannedWorkflow& workflow, CiService service) {
  std::vector<Registration> found;
  if (service == CiService::kubernetes) return found;  // it publishes nothing
  const std::string file =
      service == CiService::gitlab
          ? kGitLabFile
          : ci::workflow_name(workflow.facts.settings, workflow.facts.set) + ".yml";
  for (const ci::PublishJob& job : workflow.facts.publish) {
    if (!matrix::has_upload_api(job.kind) || job.names.empty()) continue;
    found.push_back(
        {job.target, file, job.environment, job.auth == ci::PublishAuth::trusted, job.names});
  }
  return found;
}

/// The files of a workflow for a service.
Result<std::vector<ci::Pipeline>> files_of(const ci::PlannedWorkflow& workflow, CiService service) {
  const std::string name = ci::workflow_name(workflow.facts.settings, workflow.facts.set);
  switch (service) {
    case CiService::gitlab:
      return ci::gitlab_pipelines(workflow, prepare::kPinwheelVersion);
    case CiService::kubernetes: {
      TRY(std::string text, ci::kubernetes_manifest(workflow, prepare::kPinwheelVersion));
      return std::vector<ci::Pipeline>{{name + extension_of(service), std::move(text)}};
    }
    case CiService::github:
      break;
  }
  return std::vector<ci::Pipeline>{
      {name + extension_of(service), ci::yaml_of(ci::make_workflow(workflow.facts))}};
}

void warn_about(const ci::PlannedWorkflow& workflow, CiService service, Streams& streams) {
  for (const Error& warning : workflow.warnings) streams.warn(warning);
  if (service == CiService::gitlab) {
    for (const Error& warning : ci::gitlab_warnings(workflow)) streams.warn(warning);
  } else if (service == CiService::kubernetes) {
    for (const Error& warning : ci::kubernetes_warnings(workflow)) streams.warn(warning);
  }
}

/// The names of the files that exist for a reason: those that were generated, and those of the sets
/// that were not requested, with all their parts.
Result<std::set<std::string>> names_of_files(ports::Files& files, const fs::path& directory,
                                             const matrix::Matrix& matrix, const CiPlace& place,
                                             const GeneratedFiles& made) {
  std::set<std::string> names;
  for (const GeneratedFile& file : made.files) names.insert(file.path.filename().string());
  TRY(const std::vector<ci::WorkflowSet> all, ci::sets_of(matrix, {}));
  TRY(const std::vector<ci::WorkflowSet> requested, ci::sets_of(matrix, place.sets));
  TRY(const ports::FileStatus status, files.status(directory));
  if (status.type != ports::FileType::directory) return names;
  TRY(const std::vector<std::string> existing, files.list(directory));
  for (const ci::WorkflowSet set : all) {
    if (std::ranges::find(requested, set) != requested.end()) continue;
    const std::string main = ci::workflow_name(matrix.ci, set);
    for (const std::string& name : existing) {
      if (name.starts_with(main) && is_name_of_set(name, set, place.service)) names.insert(name);
    }
  }
  return names;
}

/// The files with which a service starts its jobs, next to those of the workflows: the action of
/// GitHub, or the file that GitLab reads. The latter is a person's own as soon as it exists.
Done add_entry_files(ports::Files& files, const fs::path& root, const fs::path& directory,
                     CiService service, GeneratedFiles& made, Streams& streams) {
  if (service == CiService::github) {
    TRY(GeneratedFile file,
        action_file(files, directory.parent_path() / "actions" / "pinwheel" / "action.yml"));
    made.files.push_back(std::move(file));
    return {};
  }
  // Files elsewhere are for a person who places them.
  if (service != CiService::gitlab || directory != root / ci::kGitLabDirectory) return {};
  TRY(std::string existing, text_at(files, root / kGitLabFile));
  std::vector<std::string> names;
  for (const GeneratedFile& file : made.files) {
    const std::string name = file.path.filename().string();
    if (file.text.empty() && existing.find(name) != std::string::npos) {
      streams.warn(Error{ErrorKind::config, fmt::format("{} still includes {}, which is removed",
                                                        quoted(kGitLabFile), quoted(name))}
                       .with_hint("remove its line: GitLab accepts no file that includes a missing "
                                  "one"));
    }
    const bool main = std::ranges::any_of(ci::kWorkflowSets, [&](ci::WorkflowSet set) {
      return name.ends_with(fmt::format("-{}.yml", ci::to_string(set)));
    });
    const bool missing = existing.find(name) == std::string::npos;
    if (main && !file.text.empty() && missing) names.push_back(name);
  }
  if (names.empty()) return {};
  if (existing.empty()) {
    made.files.push_back({root / kGitLabFile, ci::gitlab_includes(names), {}});
    return {};
  }
  streams.warn(Error{ErrorKind::config,
                     fmt::format("{} does not include {}", quoted(kGitLabFile), quoted_list(names))}
                   .with_hint("add the lines\n" + ci::gitlab_includes(names)));
  return {};
}

/// The files of the requested workflows (by `--set`, else all whose channel the matrix declares,
/// and always `ci`), and those with which the service starts their jobs. Also contains files that
/// the matrix generated before and no longer does. `config` if the matrix lacks the channel of a
/// requested set, if the matrix is in no repository, for added lines whose place no longer exists,
/// and for a file that was generated from another matrix or written by a person. Writes nothing.
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
  const fs::path directory = place.out.empty() ? root / directory_in_checkout(place.service)
                                               : directory_of(host, place.out);
  const std::string relative = matrix.lexically_relative(root).string();
  TRY(std::vector<ci::PlannedWorkflow> planned_sets,
      planned_workflows(loaded, place.sets, relative));
  const prepare::RepositoryTraits traits = prepare::repository_traits(host.git, host.files, root);
  GeneratedFiles made{loaded.matrix.file, {}, {}};
  for (ci::PlannedWorkflow& workflow : planned_sets) {
    workflow.facts.submodules = traits.submodules;
    workflow.facts.lfs = traits.lfs;
    warn_about(workflow, place.service, streams);
    for (Registration& each : registrations_of(workflow, place.service)) {
      made.registrations.push_back(std::move(each));
    }
    TRY(const std::vector<ci::Pipeline> texts, files_of(workflow, place.service));
    for (const ci::Pipeline& each : texts) {
      TRY(GeneratedFile file, generated(host.files, directory / each.name, each.text));
      TRY_DONE(check_owner(file, relative));
      made.files.push_back(std::move(file));
    }
  }
  TRY(const std::set<std::string> names,
      names_of_files(host.files, directory, loaded.matrix, place, made));
  TRY(const std::vector<GeneratedFile> old,
      outdated(host.files, directory, relative, place.service, names));
  made.files.insert(made.files.end(), old.begin(), old.end());
  TRY_DONE(add_entry_files(host.files, root, directory, place.service, made, streams));
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
              fmt::format("run {}",
                          quoted(fmt::format("pinwheel ci generate {}{}", shell_quote(made.matrix),
                                             option_of(options.place.service)))));
}

}  // namespace pinwheel::cli
