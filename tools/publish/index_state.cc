#include "publish/index_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "pep/version.h"
#include "publish/release_age.h"

namespace pinwheel::publish {
namespace {

/// A project that has used this part of its limit is worth a warning: raising a limit takes days.
constexpr uint64_t kNearLimit = kProjectLimit / 10 * 9;
constexpr std::string_view kProjectLimitText = "10 GiB";

std::optional<uint64_t> size_of(const std::vector<IndexFile>& page) {
  uint64_t bytes = 0;
  for (const IndexFile& file : page) {
    if (!file.size) return std::nullopt;
    bytes += *file.size;
  }
  return bytes;
}

std::string newest_of(const std::vector<IndexFile>& page) {
  std::optional<pep::Version> newest;
  for (const IndexFile& file : page) {
    const auto version = version_of_file(file.filename);
    if (version && (!newest || *newest < *version)) newest = version;
  }
  return newest ? pep::to_string(*newest) : std::string();
}

Recut recut_of(const PlannedRelease& planned) {
  return {planned.project, planned.version, planned.build};
}

void judge_recut(IndexState& state, const std::vector<IndexFile>& page) {
  state.recut = recut_state(recut_of(state.planned), page);
  state.release_files = state.recut.present;
  if (state.recut.others > 0) return;
  state.obstacles.push_back(nothing_to_recut(state.planned.target, recut_of(state.planned)));
}

void judge_release(IndexState& state, const std::vector<IndexFile>& page,
                   std::chrono::system_clock::time_point now) {
  const auto version = pep::parse_version(state.planned.version);
  std::vector<IndexFile> release;
  for (const IndexFile& file : page) {
    const auto held = version_of_file(file.filename);
    if (version && held && *held == *version) release.push_back(file);
  }
  // The first cut does not consist of files of re-cuts, which show its age nevertheless. If all
  // files have a build number, it is that of the project's build backend.
  const auto plain = static_cast<size_t>(std::ranges::count_if(
      release, [](const IndexFile& file) { return !build_of_file(file.filename); }));
  state.release_files = plain > 0 ? plain : release.size();
  if (state.planned.build > 0) judge_recut(state, page);
  state.release = release.empty() ? ReleaseState::absent : ReleaseState::open;
  if (const auto first = first_upload(release)) {
    state.opened = first->upload_time.substr(0, 10);
    const bool closes = has_pypi_rules(state.planned.endpoint.kind);
    if (closes && is_closed(*first, now)) state.release = ReleaseState::closed;
  }
}

std::string recut_text(const IndexState& state) {
  const std::string closed = state.release == ReleaseState::closed ? "closed, " : "";
  return fmt::format("{}re-cut of {}, {} there", closed, plural(state.recut.others, "file"),
                     state.recut.present);
}

std::string release_text(const IndexState& state) {
  const std::string opened = state.opened.empty() ? "" : " since " + state.opened;
  if (state.recut.others > 0) return recut_text(state);
  switch (state.release) {
    case ReleaseState::unknown:
      return "not checked";
    case ReleaseState::absent:
      return "new";
    case ReleaseState::open:
      return fmt::format("{} there{}", plural(state.release_files, "file"), opened);
    case ReleaseState::closed:
      return fmt::format("closed, {} there{}", plural(state.release_files, "file"), opened);
    case ReleaseState::draft:
      return fmt::format("draft, {} there", plural(state.release_files, "file"));
    case ReleaseState::published:
      return fmt::format("published, {} there{}", plural(state.release_files, "file"), opened);
  }
  return {};
}

std::string project_text(const IndexState& state) {
  if (state.unreadable) return "not checked";
  if (!state.tag.empty()) return state.tag;
  return state.project_files == 0 ? "name is free" : "newest " + state.newest;
}

std::string size_text(const IndexState& state) {
  if (!state.tag.empty()) return "";
  if (state.unreadable || !state.project_bytes) return "unknown";
  std::string size = format_bytes(*state.project_bytes);
  if (!has_pypi_rules(state.planned.endpoint.kind)) return size;
  return fmt::format("{} of {}", size, kProjectLimitText);
}

std::string_view to_string(ReleaseState state) {
  switch (state) {
    case ReleaseState::unknown:
      return "unknown";
    case ReleaseState::absent:
      return "absent";
    case ReleaseState::open:
      return "open";
    case ReleaseState::closed:
      return "closed";
    case ReleaseState::draft:
      return "draft";
    case ReleaseState::published:
      return "published";
  }
  return {};
}

}  // namespace

IndexState state_of(const PlannedRelease& planned, const Result<std::vector<IndexFile>>& page,
                    std::chrono::system_clock::time_point now) {
  IndexState state{planned};
  if (!page) {
    state.unreadable = page.error();
    return state;
  }
  state.project_files = page->size();
  state.project_bytes = size_of(*page);
  state.newest = newest_of(*page);
  judge_release(state, *page, now);
  return state;
}

void note_github(IndexState& state, const ReleaseGoal& goal, const GithubState& found) {
  state.tag = fmt::format("tag {} {}", quoted(goal.tag), found.tag_commit ? "exists" : "is new");
  state.release = ReleaseState::absent;
  if (found.release) {
    state.release = found.release->draft ? ReleaseState::draft : ReleaseState::published;
    state.opened = found.release->opened.substr(0, 10);
    state.release_files = static_cast<size_t>(std::ranges::count_if(
        found.assets, [](const GithubAsset& asset) { return asset.complete; }));
  }
  // Without assets in the goal, only the tag can be wrong.
  ReleaseGoal tag_only = goal;
  tag_only.assets.clear();
  const Result<GithubAction> next = next_action(tag_only, found);
  if (!next) state.obstacles.push_back(next.error());
  const bool lacks =
      state.release == ReleaseState::published && state.release_files < state.planned.files;
  if (lacks) {
    state.obstacles.push_back(
        Error{ErrorKind::publish,
              fmt::format("the release of tag {} of {} is published with {}, and needs {}",
                          quoted(goal.tag), quoted(goal.place.repository),
                          plural(state.release_files, "file"), state.planned.files)}
            .with_hint("a published release is not changed: publish another version"));
  }
}

void note_unanswered(IndexState& state, const Error& error) {
  const bool answered = error.kind == ErrorKind::publish;
  if (answered) {
    state.obstacles.push_back(error);
  } else {
    state.unreadable = error;
  }
}

namespace {

/// Releases of one version with several labels have the same obstacle.
void add_once(std::vector<Error>& errors, const Error& error) {
  const bool known = std::ranges::any_of(
      errors, [&error](const Error& each) { return each.message == error.message; });
  if (!known) errors.push_back(error);
}

}  // namespace

std::vector<Error> blockers(const std::vector<IndexState>& states) {
  std::vector<Error> found;
  for (const IndexState& state : states) {
    const PlannedRelease& planned = state.planned;
    for (const Error& obstacle : state.obstacles) add_once(found, obstacle);
    // A release that was published whole before is repeated without sending anything.
    if (state.release != ReleaseState::closed || state.release_files >= planned.files) continue;
    found.push_back(
        Error{ErrorKind::publish,
              fmt::format("{} {} on {} has {} of {} and is closed: its first file was "
                          "uploaded on {}",
                          quoted(planned.project), planned.version, quoted(planned.target),
                          state.release_files, plural(planned.files, "file"), state.opened)}
            .with_hint("PyPI closes a release 14 days after its first file: publish another "
                       "version"));
  }
  return found;
}

namespace {

Error outranked(const IndexState& state) {
  const PlannedRelease& planned = state.planned;
  return Error{ErrorKind::publish,
               fmt::format("{} has build number {} of {} {}, which installers prefer to {}",
                           quoted(planned.target), state.recut.newest, quoted(planned.project),
                           planned.version, planned.build)}
      .with_hint("use a higher build number, unless this completes an earlier re-cut");
}

}  // namespace

std::vector<Error> warnings(const std::vector<IndexState>& states) {
  std::vector<Error> found;
  for (const IndexState& state : states) {
    const PlannedRelease& planned = state.planned;
    if (state.unreadable) {
      Error error = Error{state.unreadable->kind,
                          fmt::format("the state of {} on {} is unknown", quoted(planned.project),
                                      quoted(planned.target))};
      error.causes.push_back(*state.unreadable);
      found.push_back(std::move(error));
      continue;
    }
    if (state.recut.newest > planned.build) found.push_back(outranked(state));
    const uint64_t after = state.project_bytes.value_or(0) + planned.bytes;
    if (!has_pypi_rules(planned.endpoint.kind) || after < kNearLimit) continue;
    found.push_back(
        Error{ErrorKind::publish,
              fmt::format("{} will have {} or more on {}, which accepts {} for a project",
                          quoted(planned.project), format_bytes(after), quoted(planned.target),
                          kProjectLimitText)}
            .with_hint("delete old pre-releases, or ask the index for a higher limit before the "
                       "release"));
  }
  return found;
}

std::vector<std::vector<std::string>> state_rows(const std::vector<IndexState>& states) {
  std::vector<std::vector<std::string>> rows = {
      {"target", "project", "version", "files", "release", "on the index", "size of the project"}};
  for (const IndexState& state : states) {
    const PlannedRelease& planned = state.planned;
    const std::string build = planned.build == 0 ? "" : fmt::format(" build {}", planned.build);
    rows.push_back({planned.target, planned.project, planned.version + build,
                    std::to_string(planned.files), release_text(state), project_text(state),
                    size_text(state)});
  }
  return rows;
}

nlohmann::json state_json(const std::vector<IndexState>& states) {
  nlohmann::json list = nlohmann::json::array();
  for (const IndexState& state : states) {
    nlohmann::json known = nullptr;
    if (!state.unreadable) known = state.project_files > 0;
    nlohmann::json bytes = nullptr;
    if (state.project_bytes) bytes = *state.project_bytes;
    list.push_back({{"target", state.planned.target},
                    {"project", state.planned.project},
                    {"version", state.planned.version},
                    {"files", state.planned.files},
                    {"known", std::move(known)},
                    {"newest", state.newest},
                    {"bytes", std::move(bytes)},
                    {"release", to_string(state.release)},
                    {"present", state.release_files},
                    {"opened", state.opened}});
    if (state.planned.build > 0) list.back()["build-number"] = state.planned.build;
  }
  return list;
}

}  // namespace pinwheel::publish
