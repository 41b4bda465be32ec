#include "session/release_status.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "base/parallel.h"
#include "host/index/bucket_index.h"
#include "host/index/publish_target.h"
#include "host/index/upload_lookup.h"
#include "matrix/target_kind.h"
#include "pep/name.h"
#include "plan/known_results.h"
#include "plan/listing.h"
#include "plan/names.h"
#include "plan/publication.h"
#include "plan/step_id.h"
#include "publish/recut.h"
#include "publish/release_assets.h"
#include "publish/simple_page.h"
#include "session/ask_github.h"

namespace pinwheel::session {
namespace {

namespace fs = std::filesystem;
using Outcomes = std::map<std::string, const plan::StepOutcome*>;
using Page = Result<std::vector<publish::IndexFile>>;

/// The page of a project on a target, and the conflict that the target reports.
struct ReadTarget {
  Page page = std::vector<publish::IndexFile>();
  std::optional<Error> conflict = {};
};

constexpr unsigned kPageReads = 8;

Outcomes by_step(const std::vector<plan::StepOutcome>& outcomes) {
  Outcomes out;
  for (const plan::StepOutcome& outcome : outcomes) out[outcome.id] = &outcome;
  return out;
}

/// The wheel of a build under its name on a target.
publish::ExpectedFile wheel_of(const plan::Publish& publication, const std::string& build,
                               const wheel::Naming& naming, const Outcomes& outcomes) {
  publish::ExpectedFile file{publication.target.name, pep::normalize_name(naming.distribution),
                             build};
  const auto outcome = outcomes.find(build);
  if (outcome == outcomes.end()) return file;
  for (const plan::Output& output : outcome->second->outputs) {
    const std::string name = fs::path(output.path).filename().string();
    if (!plan::is_wheel_named(name, naming)) continue;
    file.filename = name;
    file.sha256 = output.sha256;
    file.size = output.size;
  }
  return file;
}

bool is_github(const plan::Publish& publication) {
  return publication.target.kind == matrix::TargetKind::github_release;
}

void add_sdists(const plan::Plan& plan, const plan::Publish& publication, const Outcomes& outcomes,
                std::vector<publish::ExpectedFile>& files) {
  for (const plan::Step* const step : plan::published_sdists(plan, publication)) {
    const auto& sdist = std::get<plan::BuildSdist>(step->action);
    publish::ExpectedFile file{publication.target.name, pep::normalize_name(sdist.distribution),
                               step->id};
    const auto outcome = outcomes.find(step->id);
    if (outcome != outcomes.end() && !outcome->second->outputs.empty()) {
      const plan::Output& output = outcome->second->outputs.front();
      file.filename = fs::path(output.path).filename().string();
      file.sha256 = output.sha256;
      file.size = output.size;
    }
    files.push_back(std::move(file));
  }
}

/// The files that describe the others, if all of these are known.
void add_describing(const plan::Publish& publication, std::vector<publish::ExpectedFile>& files) {
  publish::Publication known{publication.target.name};
  bool complete = true;
  for (const publish::ExpectedFile& file : files) {
    if (file.target != publication.target.name) continue;
    complete = complete && !file.filename.empty();
    if (!file.filename.empty()) {
      known.projects[file.project].push_back({file.filename, file.size, file.sha256});
    }
  }
  const plan::TaggedRelease& release = publication.release;
  for (const publish::MadeAsset& made : publish::describing_assets(
           {release.project, release.tag, release.commit, release.build}, known)) {
    publish::ExpectedFile file{publication.target.name, pep::normalize_name(release.project),
                               plan::publish_id(publication.target.name)};
    if (complete) {
      file.filename = made.asset.name;
      file.sha256 = made.asset.sha256;
    }
    files.push_back(std::move(file));
  }
}

std::vector<const plan::Publish*> publications_in(const plan::Plan& plan) {
  std::vector<const plan::Publish*> all;
  for (const plan::Step& step : plan.steps) {
    const auto* const publication = std::get_if<plan::Publish>(&step.action);
    if (publication != nullptr) all.push_back(publication);
  }
  return all;
}

/// The files of a project in a bucket: in the root, and in the sub-indexes of labels.
Page bucket_page(const PageSource& source, const plan::Publish& publication,
                 const std::string& project) {
  TRY(host::BucketIndex index, host::open_bucket_index({.url = publication.target.bucket,
                                                        .environment = source.workplace.variables,
                                                        .mask = source.workplace.mask}));
  TRY(const std::optional<publish::Catalog> catalog, index.find());
  if (!catalog) return std::vector<publish::IndexFile>();
  return publish::files_of(*catalog, project);
}

/// The files of a project in a directory index: in the root, and in the sub-indexes of labels.
Page directory_page(const PageSource& source, const plan::Publish& publication,
                    const std::string& project) {
  const fs::path index =
      (source.workplace.matrix_directory / publication.target.path).lexically_normal();
  std::vector<fs::path> pages = {index / project / "index.json"};
  for (const std::string& label : plan::sub_indexes(publication)) {
    pages.push_back(index / label / project / "index.json");
  }
  std::vector<publish::IndexFile> files;
  std::set<std::string> names;
  for (const fs::path& page : pages) {
    if (source.host.files.resolved_type(page) == ports::FileType::missing) continue;
    TRY(const std::string text, source.host.files.read(page));
    TRY(const auto some, publish::parse_simple_page("application/vnd.pypi.simple.v1+json", text));
    // The root may list a file of a sub-index, too.
    for (const publish::IndexFile& file : some) {
      if (names.insert(file.filename).second) files.push_back(file);
    }
  }
  return files;
}

ReadTarget read_target(const PageSource& source, const plan::Publish& publication,
                       const std::string& project) {
  if (!is_github(publication)) return {target_page(source, publication, project)};
  Result<GithubFiles> found =
      github_files({source.host, source.workplace, source.requests}, publication);
  if (!found) return {fail(std::move(found).error())};
  return {std::move(found->files), std::move(found->conflict)};
}

/// The files of one project on one target.
struct Group {
  const plan::Publish* publication;
  std::string project;
  std::vector<publish::ExpectedFile> files;
};

std::vector<Group> groups_of(const plan::Plan& plan,
                             const std::vector<publish::ExpectedFile>& expected) {
  std::vector<Group> groups;
  for (const plan::Publish* const publication : publications_in(plan)) {
    if (publication->target.unconfirmed) continue;
    std::map<std::string, std::vector<publish::ExpectedFile>> projects;
    for (const publish::ExpectedFile& file : expected) {
      // A release on GitHub has the files of all projects.
      if (file.target == publication->target.name) {
        projects[is_github(*publication) ? std::string() : file.project].push_back(file);
      }
    }
    for (auto& [project, files] : projects) {
      groups.push_back({publication, project, std::move(files)});
    }
  }
  return groups;
}

/// Adds that the target has no file of the version of a re-cut.
void note_unpublished(const Group& group, const std::vector<publish::IndexFile>& page,
                      publish::ReleaseStatus& status) {
  const uint64_t build = plan::build_number_of(*group.publication);
  // A release on GitHub is that of a tag, and each cut has its own.
  if (build == 0 || is_github(*group.publication)) return;
  const publish::Recut recut{group.project, group.publication->names.begin()->second.version,
                             build};
  if (publish::recut_state(recut, page).others > 0) return;
  status.unpublished.push_back(publish::nothing_to_recut(group.publication->target.name, recut));
}

}  // namespace

Result<std::vector<publish::IndexFile>> target_page(const PageSource& source,
                                                    const plan::Publish& publication,
                                                    const std::string& project) {
  if (publication.target.kind == matrix::TargetKind::directory) {
    return directory_page(source, publication, project);
  }
  if (publication.target.kind == matrix::TargetKind::s3) {
    return bucket_page(source, publication, project);
  }
  TRY(const publish::Endpoint endpoint, host::endpoint_of(publication.target));
  const std::shared_ptr<ports::Http> http =
      source.host.http(source.requests, source.workplace.log, {});
  return host::read_project({publication.target.name, endpoint}, project, *http);
}

std::vector<publish::ExpectedFile> expected_files(const plan::Plan& plan,
                                                  const std::vector<plan::StepOutcome>& outcomes) {
  const Outcomes known = by_step(outcomes);
  std::vector<publish::ExpectedFile> files;
  for (const plan::Publish* const publication : publications_in(plan)) {
    for (const std::string& build : publication->builds) {
      const auto naming = publication->names.find(build);
      if (naming == publication->names.end()) continue;
      for (const wheel::Naming& file : plan::each_file({naming->second})) {
        files.push_back(wheel_of(*publication, build, file, known));
      }
    }
    add_sdists(plan, *publication, known, files);
    if (is_github(*publication)) add_describing(*publication, files);
  }
  return files;
}

std::vector<std::string> steps_without_result(const plan::Plan& plan,
                                              const std::vector<plan::StepOutcome>& outcomes) {
  const Outcomes known = by_step(outcomes);
  std::vector<std::string> missing;
  for (const plan::Step& step : plan.steps) {
    const bool published = plan::kind_of_step(step.id) == plan::StepKind::publish;
    // The wheel contains the device code.
    if (plan::compiles_device_code(step.id)) continue;
    if (!published && plan::is_shareable(step) && !known.contains(step.id)) {
      missing.push_back(step.id);
    }
  }
  return missing;
}

publish::ReleaseStatus compare_release(const plan::Plan& plan,
                                       const std::vector<publish::ExpectedFile>& expected,
                                       const PageSource& source) {
  const std::vector<Group> groups = groups_of(plan, expected);
  std::vector<ReadTarget> targets(groups.size());
  run_jobs(std::vector<uint64_t>(groups.size(), 1), {.threads = kPageReads}, [&](size_t at) {
    targets[at] = read_target(source, *groups[at].publication, groups[at].project);
  });
  publish::ReleaseStatus status;
  for (size_t at = 0; at < groups.size(); ++at) {
    const auto& [publication, project, files] = groups[at];
    const auto& [page, conflict] = targets[at];
    const auto compared = publish::compare_with_page(files, page);
    status.files.insert(status.files.end(), compared.begin(), compared.end());
    if (conflict) status.conflicts.push_back(*conflict);
    if (!page) {
      status.unreadable.push_back(page.error());
      continue;
    }
    note_unpublished(groups[at], *page, status);
    for (const std::string& name : publish::unplanned_files(files, *page)) {
      status.unplanned.push_back(publication->target.name + ": " + name);
    }
  }
  return status;
}

}  // namespace pinwheel::session
