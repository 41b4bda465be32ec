#include "publish/prune.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/text.h"
#include "publish/index_file.h"
#include "publish/retention.h"

namespace pinwheel::publish {

namespace {

/// The files of a version in one place of the index.
struct InPlace {
  std::optional<UploadTime> newest = std::nullopt;  ///< upload time of its newest file
  bool dated = true;                                ///< whether each file has an upload time
  bool yanked = true;                               ///< whether each file is yanked

  void add(const CatalogFile& file) {
    const auto uploaded = parse_upload_time(file.upload_time);
    dated = dated && uploaded.has_value();
    if (uploaded) newest = std::max(newest.value_or(*uploaded), *uploaded);
    yanked = yanked && file.yanked.has_value();
  }
};

/// A version with what decides about it.
struct Candidate {
  PrunedVersion version;
  std::map<std::string, uint64_t> sizes = {};  ///< by file name: a file may be in several places
  InPlace overall = {};
  std::map<std::string, InPlace> places = {};
};

/// Versions of one project that are judged together, newest first.
using Group = std::vector<Candidate>;

bool is_nightly(const Candidate& candidate) {
  return candidate.version.version.dev.has_value();
}

/// The versions of each project, newest first.
std::map<std::string, Group> candidates_in(const Catalog& catalog, const std::string& only) {
  std::map<std::string, std::map<pep::Version, Candidate>> found;
  for (const auto& [place, projects] : catalog.places) {
    for (const auto& [project, files] : projects) {
      if (!only.empty() && project != only) continue;
      for (const auto& [filename, file] : files) {
        const auto version = version_of_file(filename);
        if (!version) continue;
        const pep::Version released = pep::public_part(*version);
        Candidate& candidate = found[project][released];
        candidate.version.project = project;
        candidate.version.version = released;
        candidate.sizes[filename] = file.size;
        candidate.overall.add(file);
        candidate.places[place].add(file);
      }
    }
  }
  std::map<std::string, Group> groups;
  for (auto& [project, versions] : found) {
    for (auto each = versions.rbegin(); each != versions.rend(); ++each) {
      Candidate& candidate = groups[project].emplace_back(std::move(each->second));
      candidate.version.files = candidate.sizes.size();
      for (const auto& [filename, size] : candidate.sizes) candidate.version.bytes += size;
      if (candidate.overall.dated) candidate.version.uploaded = candidate.overall.newest;
      candidate.version.yanked = candidate.overall.yanked;
    }
  }
  return groups;
}

/// The lock that names the version; empty if none does.
std::string naming_lock(const PrunedVersion& version, const std::vector<LockedVersion>& locked) {
  for (const LockedVersion& each : locked) {
    if (each.pinned.project == version.project &&
        pep::public_part(each.pinned.version) == version.version) {
      return each.lock;
    }
  }
  return {};
}

/// The versions that `keep_last` keeps: yanked ones only if there is room for them.
std::set<pep::Version> newest_versions(const Group& group, size_t count) {
  std::set<pep::Version> newest;
  for (const bool yanked : {false, true}) {
    for (const Candidate& candidate : group) {
      if (newest.size() == count) return newest;
      if (candidate.version.yanked == yanked) newest.insert(candidate.version.version);
    }
  }
  return newest;
}

/// The first rule that keeps the version, except for that of settled versions.
PruneVerdict verdict_of(const PrunedVersion& version, const PruneRules& rules,
                        const std::set<pep::Version>& newest,
                        std::chrono::system_clock::time_point now) {
  if (!version.version.dev && rules.scope == PruneScope::nightlies) return PruneVerdict::release;
  if (rules.keep && !version.uploaded) return PruneVerdict::undated;
  if (rules.keep && now - *version.uploaded < *rules.keep) return PruneVerdict::recent;
  return newest.contains(version.version) ? PruneVerdict::newest : PruneVerdict::removed;
}

/// Whether an installer with a cooldown may choose the version in this place.
bool is_settled(const Candidate& candidate, const std::string& place,
                std::chrono::system_clock::time_point now) {
  const auto files = candidate.places.find(place);
  return files != candidate.places.end() && files->second.dated && !files->second.yanked &&
         now - *files->second.newest >= kUsualCooldown;
}

/// Keeps the newest settled versions of this place.
void keep_settled(Group& group, const std::string& place,
                  std::chrono::system_clock::time_point now) {
  size_t seen = 0;
  for (Candidate& candidate : group) {
    if (!is_settled(candidate, place, now)) continue;
    if (candidate.version.verdict == PruneVerdict::removed) {
      candidate.version.verdict = PruneVerdict::settled;
      candidate.version.detail = place;
    }
    if (++seen == kSettledVersions) return;
  }
}

void judge(Group& group, const PruneRules& rules, std::chrono::system_clock::time_point now) {
  const std::set<pep::Version> newest = newest_versions(group, rules.keep_last.value_or(0));
  std::set<std::string> places;
  for (Candidate& candidate : group) {
    PrunedVersion& version = candidate.version;
    version.detail = naming_lock(version, rules.locked);
    version.verdict =
        version.detail.empty() ? verdict_of(version, rules, newest, now) : PruneVerdict::locked;
    for (const auto& [place, files] : candidate.places) places.insert(place);
  }
  for (const std::string& place : places) keep_settled(group, place, now);
}

}  // namespace

Result<Pruning> prune(Catalog catalog, const PruneRules& rules,
                      std::chrono::system_clock::time_point now) {
  std::map<std::string, Group> projects = candidates_in(catalog, rules.project);
  if (projects.empty() && !rules.project.empty()) {
    return fail(ErrorKind::nothing_selected,
                fmt::format("the index has no file of {}", quoted(rules.project)),
                "leave the project out to see all of them");
  }
  std::vector<PrunedVersion> versions;
  ProjectVersions removed;
  for (auto& [project, group] : projects) {
    const auto others = std::stable_partition(group.begin(), group.end(), is_nightly);
    Group releases(std::make_move_iterator(others), std::make_move_iterator(group.end()));
    group.erase(others, group.end());
    for (Group* const each : {&group, &releases}) {
      judge(*each, rules, now);
      for (const Candidate& candidate : *each) {
        versions.push_back(candidate.version);
        if (candidate.version.verdict != PruneVerdict::removed) continue;
        removed[project].insert(candidate.version.version);
      }
    }
  }
  std::stable_sort(versions.begin(), versions.end(),
                   [](const PrunedVersion& a, const PrunedVersion& b) {
                     return a.project != b.project ? a.project < b.project : a.version > b.version;
                   });
  Retention kept = without_versions(std::move(catalog), removed);
  return Pruning{std::move(kept.catalog), std::move(versions), std::move(kept.retired)};
}

std::string prune_reason(const PrunedVersion& version, const PruneRules& rules,
                         const std::string& keep) {
  switch (version.verdict) {
    case PruneVerdict::removed: {
      std::vector<std::string> reasons;
      if (version.yanked) reasons.emplace_back("yanked");
      if (rules.keep) reasons.push_back(fmt::format("older than {}", keep));
      if (rules.keep_last) {
        reasons.push_back(fmt::format("not among the newest {}", *rules.keep_last));
      }
      return join(reasons, ", ");
    }
    case PruneVerdict::locked:
      return fmt::format("{} names it", quoted(version.detail));
    case PruneVerdict::release:
      return "not a nightly";
    case PruneVerdict::recent:
      return fmt::format("newer than {}", keep);
    case PruneVerdict::undated:
      return "has no upload time";
    case PruneVerdict::newest:
      return fmt::format("among the newest {}", rules.keep_last.value_or(0));
    case PruneVerdict::settled:
      return fmt::format("one of {} versions older than {} days in {}", kSettledVersions,
                         kUsualCooldown.count(),
                         version.detail.empty() ? "the root" : quoted(version.detail));
  }
  return {};
}

std::string_view to_string(PruneVerdict verdict) {
  switch (verdict) {
    case PruneVerdict::removed:
      return "removed";
    case PruneVerdict::locked:
      return "locked";
    case PruneVerdict::release:
      return "release";
    case PruneVerdict::recent:
      return "recent";
    case PruneVerdict::undated:
      return "undated";
    case PruneVerdict::newest:
      return "newest";
    case PruneVerdict::settled:
      return "settled";
  }
  return {};
}

}  // namespace pinwheel::publish
