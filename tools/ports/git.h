#pragma once
#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace pinwheel::ports {

/// A tag in the history of HEAD.
struct GitTag {
  std::string name;
  int distance =
      0;  ///< commits from the tag to HEAD, as `git describe` counts them; 0 means on HEAD
};

/// The facts of a checkout, read once.
struct GitFacts {
  std::filesystem::path root;
  std::string commit;                          ///< 40 hexadecimal digits
  std::chrono::system_clock::time_point date;  ///< committer date of HEAD
  std::string branch;                          ///< empty on a detached HEAD
  std::vector<GitTag> tags;                    ///< reachable from HEAD, any order
  std::vector<std::string> all_tags;           ///< every tag of the repository
  int commit_count = 0;                        ///< commits reachable from HEAD
  bool dirty = false;                          ///< tracked files differ from HEAD
  bool shallow = false;
  std::string origin = {};  ///< the URL of the remote `origin`; empty without one
  /// Whether git tracks a file below the directory that was asked for, or it is the top level.
  bool tracks_directory = true;
};

/// Files below a package's source that are not part of it.
struct NotSource {
  /// Directories that runs write. Tracked files in them are source.
  std::vector<std::filesystem::path> made = {};
  /// Files and directories that a command line names: plans, reports, stores, logs. They are never
  /// source: a plan cannot be current for a source that contains it.
  std::vector<std::filesystem::path> named = {};
};

/// The files of a directory in a work tree, relative to it, each list sorted. Ignored files are
/// omitted.
struct GitFiles {
  std::vector<std::string> tracked = {};
  std::vector<std::string> untracked = {};
  std::vector<std::string> submodules = {};         ///< also those of submodules
  std::vector<std::string> absent_submodules = {};  ///< not checked out
};

/// A commit that changed something.
struct GitChange {
  std::string commit;                          ///< 40 hexadecimal digits
  std::chrono::system_clock::time_point date;  ///< committer date
};

/// Whether to compare the work tree with HEAD, which reads the status of every tracked file.
enum class WorkTree { compare, ignore };

/// Git repositories. Errors of kind `environment` have the git command that fixes them as their
/// hint.
class Git {
 public:
  Git() = default;
  virtual ~Git() = default;
  Git(const Git&) = delete;
  Git& operator=(const Git&) = delete;

  /// Facts of the repository that contains `directory`; with `ignore`, `dirty` stays false.
  virtual Result<GitFacts> facts(const std::filesystem::path& directory, WorkTree work_tree) = 0;
  Result<GitFacts> facts(const std::filesystem::path& directory) {
    return facts(directory, WorkTree::compare);
  }
  /// Tracked files, and untracked ones that are neither ignored nor below one of `made`, under
  /// `directory`; includes those of checked-out submodules.
  virtual Result<GitFiles> files(const std::filesystem::path& directory,
                                 const std::vector<std::filesystem::path>& made) = 0;
  Result<GitFiles> files(const std::filesystem::path& directory) { return files(directory, {}); }
  /// The last commit up to HEAD that changed a file under `directory` for which `counts` returns
  /// true; it gets names relative to `directory`. A merge that takes all these files from one of
  /// its parents changed none, as in `git log -1 -- directory`. The oldest commit of a shallow
  /// clone counts as a change of everything. A submodule is one file.
  virtual Result<GitChange> last_change(
      const std::filesystem::path& directory,
      const std::function<bool(std::string_view name)>& counts) = 0;
};

}  // namespace pinwheel::ports
