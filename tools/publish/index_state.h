#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "publish/endpoints.h"
#include "publish/github_release.h"
#include "publish/index_file.h"
#include "publish/recut.h"

namespace pinwheel::publish {

/// A release of one project on one index, before anything is sent.
struct PlannedRelease {
  std::string target;  ///< its name in the matrix or on the command line
  Endpoint endpoint = {};
  std::string project;  ///< as its files spell it
  std::string version;  ///< with its local part, if the target uses one
  size_t files = 0;     ///< to be published
  uint64_t bytes = 0;   ///< of these files; 0 before they are built
  uint64_t build = 0;   ///< build number of a re-cut; 0: it is none

  bool operator==(const PlannedRelease&) const = default;
};

/// How far an index has a release. PyPI accepts no new file for a release whose first file is more
/// than 14 days old. On GitHub a release is a draft until it is published.
enum class ReleaseState { unknown, absent, open, closed, draft, published };

/// The state of an index for one planned release, as the project's page shows it.
struct IndexState {
  PlannedRelease planned;
  std::optional<Error> unreadable = std::nullopt;        ///< why the page could not be read
  size_t project_files = 0;                              ///< 0: the index does not know the project
  std::optional<uint64_t> project_bytes = std::nullopt;  ///< if the page states all sizes
  std::string newest = {};                               ///< the project's newest version
  ReleaseState release = ReleaseState::unknown;
  size_t release_files = 0;  ///< of a re-cut, those with its build number
  RecutState recut = {};     ///< of a re-cut
  std::string opened = {};   ///< day of the release's first upload, "2026-11-02"; empty if unknown
  std::string tag = {};      ///< of a release on GitHub: "tag `v1.0` is new"; else empty
  std::vector<Error> obstacles = {};  ///< why the release cannot be made, whatever is built
};

/// PyPI's limit for all files of a project, unless it was raised for the project.
inline constexpr uint64_t kProjectLimit = uint64_t{10} << 30U;

/// Judges the page of a planned release's project. `page` is empty for a project that the index
/// does not know.
IndexState state_of(const PlannedRelease& planned, const Result<std::vector<IndexFile>>& page,
                    std::chrono::system_clock::time_point now);

/// Adds the state of a release on GitHub.
void note_github(IndexState& state, const ReleaseGoal& goal, const GithubState& found);

/// Adds that a question to GitHub failed: an answer such as a rejected token is an obstacle, the
/// lack of an answer is not.
void note_unanswered(IndexState& state, const Error& error);

/// The reasons why this release cannot be completed, whatever is built, of kind `publish` if it is
/// closed and lacks files; and the obstacles.
std::vector<Error> blockers(const std::vector<IndexState>& states);

/// Problems that may stop the release later: a page that cannot be read, a project near its size
/// limit, a re-cut with a lower build number than another, which installers prefer.
std::vector<Error> warnings(const std::vector<IndexState>& states);

/// A table of the states, its header first: target, project, version, the release, the project's
/// newest version and size.
std::vector<std::vector<std::string>> state_rows(const std::vector<IndexState>& states);

/// The states as JSON: a list of objects with `target`, `project`, `version`, `files`, `known`
/// (null if the page cannot be read), `newest`, `bytes`, `release` and `present`; for a re-cut also
/// `build-number`.
nlohmann::json state_json(const std::vector<IndexState>& states);

}  // namespace pinwheel::publish
