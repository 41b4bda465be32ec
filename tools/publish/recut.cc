#include "publish/recut.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/text.h"
#include "pep/name.h"
#include "pep/version.h"
#include "publish/reply.h"

namespace pinwheel::publish {
namespace {

/// The public part of a version's text; nullopt for another text.
std::optional<pep::Version> public_version(const std::string& text) {
  const Result<pep::Version> version = pep::parse_version(text);
  return version ? std::optional(pep::public_part(*version)) : std::nullopt;
}

/// The files that the index has with other bytes.
std::vector<Error> other_bytes(const std::vector<const Artifact*>& files,
                               const std::vector<IndexFile>& page) {
  std::vector<Error> conflicts;
  for (const Artifact* const file : files) {
    const auto held = std::ranges::find(page, file->filename, &IndexFile::filename);
    if (held == page.end()) continue;
    const auto sha256 = held->hashes.find("sha256");
    // Without a hash, an upload reads the file itself.
    if (sha256 == held->hashes.end() || sha256->second == file->sha256) continue;
    Error conflict = conflict_error(file->filename, file->sha256, sha256->second);
    conflict.hint.clear();
    conflicts.push_back(std::move(conflict));
  }
  return conflicts;
}

}  // namespace

RecutState recut_state(const Recut& recut, const std::vector<IndexFile>& page) {
  const std::optional<pep::Version> version = public_version(recut.version);
  const Result<pep::Version> whole = pep::parse_version(recut.version);
  RecutState state;
  for (const IndexFile& file : page) {
    const std::optional<pep::Version> held = version_of_file(file.filename);
    if (!version || !held || pep::public_part(*held) != *version) continue;
    const std::optional<pep::BuildTag> build = build_of_file(file.filename);
    const bool same = build == pep::BuildTag{recut.build};
    if (same && *held == *whole) ++state.present;
    if (!same) ++state.others;
    if (build) state.newest = std::max(state.newest, build->number);
  }
  return state;
}

Error nothing_to_recut(const std::string& target, const Recut& recut) {
  const std::optional<pep::Version> version = public_version(recut.version);
  return Error{ErrorKind::publish,
               fmt::format("{} has no file of {} {}, so there is nothing to re-cut with build "
                           "number {}",
                           quoted(target), quoted(recut.project),
                           version ? pep::to_string(*version) : recut.version, recut.build)}
      .with_hint("publish the version without a build number first");
}

Done check_recut(const TargetRecut& recut, const std::vector<Artifact>& files,
                 const ProjectPage& page_of) {
  if (recut.build == 0) return {};
  std::map<std::string, std::vector<const Artifact*>> projects;
  for (const Artifact& file : files) projects[pep::normalize_name(file.name)].push_back(&file);
  std::vector<Error> conflicts;
  for (const auto& [project, own] : projects) {
    const std::vector<IndexFile> page = page_of(project);
    const Recut release{project, own.front()->version, recut.build};
    if (recut_state(release, page).others == 0) {
      return fail(nothing_to_recut(recut.target, release));
    }
    for (Error& each : other_bytes(own, page)) conflicts.push_back(std::move(each));
  }
  if (conflicts.empty()) return {};
  return fail(
      Error{ErrorKind::publish,
            fmt::format("{} already has different files with build number {}; nothing was sent",
                        quoted(recut.target), recut.build),
            std::nullopt, "a file name is never reused: use a higher build number",
            std::move(conflicts)});
}

Done check_recut(const TargetRecut& recut, const std::vector<Artifact>& files,
                 const Catalog& catalog) {
  return check_recut(recut, files,
                     [&catalog](const std::string& project) { return files_of(catalog, project); });
}

}  // namespace pinwheel::publish
