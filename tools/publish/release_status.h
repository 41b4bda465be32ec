#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/result.h"
#include "publish/github_release.h"
#include "publish/index_file.h"

namespace pinwheel::publish {

/// A file that a release has on a target.
struct ExpectedFile {
  std::string target;
  std::string project;        ///< normalized
  std::string build;          ///< id of the step that makes it
  std::string filename = {};  ///< empty: the step has no result
  std::string sha256 = {};
  uint64_t size = 0;  ///< bytes; 0: the step has no result
};

enum class FileState {
  published,  ///< with the same bytes
  listed,     ///< under the same name, on a page without SHA-256
  missing,
  different,  ///< other bytes under the same name
  not_built,
  unknown,  ///< the page cannot be read
};

struct ReleaseFile {
  ExpectedFile expected;
  FileState state = FileState::unknown;
};

/// A release compared with its targets.
struct ReleaseStatus {
  std::string version;
  uint64_t build = 0;                           ///< build number of a re-cut; 0: none
  std::string tag = {};                         ///< the version's tag on HEAD; empty: none
  std::string wanted_tag = {};                  ///< the tag to create; empty: nothing to create
  std::vector<std::string> missing_steps = {};  ///< ids of steps without a result
  std::vector<ReleaseFile> files = {};
  /// Files of the same version on a target that the plan does not have: "pypi: x-1.0.tar.gz".
  std::vector<std::string> unplanned = {};
  std::vector<Error> unreadable = {};  ///< one per page
  std::vector<Error> conflicts = {};   ///< that no command resolves: the tag is at another commit
  /// Of a re-cut: the targets that have no other file of the version.
  std::vector<Error> unpublished = {};
};

/// The states of files of one project on one target, whose page it is.
std::vector<ReleaseFile> compare_with_page(const std::vector<ExpectedFile>& expected,
                                           const Result<std::vector<IndexFile>>& page);

/// The files of a published release on GitHub; none of a draft, which nobody can install.
std::vector<IndexFile> released_files(const GithubState& state);

/// The names of the page's files that have a version and a build number of the expected files and
/// are not among them, sorted. None if a build has no result: its files are not known then.
std::vector<std::string> unplanned_files(const std::vector<ExpectedFile>& expected,
                                         const std::vector<IndexFile>& page);

/// The action that completes a release; the first that applies.
enum class Remedy {
  none,             ///< it is complete
  another_version,  ///< an index has other bytes, and never replaces a file; or a conflict
  first_cut,        ///< the version of a re-cut is not published
  release,          ///< steps or files are missing
  ask_again,        ///< a page could not be read
  tag,              ///< only its tag is missing
};
Remedy remedy_of(const ReleaseStatus& status);

/// A table of the files: target, file, state; then steps without a result.
std::vector<std::vector<std::string>> status_rows(const ReleaseStatus& status);

/// `pinwheel-status/1`: `version`, `complete`, `tag`, `missing-steps`, `files`, `unplanned`,
/// `conflicts`; for a re-cut also `build-number`.
nlohmann::json status_json(const ReleaseStatus& status);

/// "1.2.0", and for a re-cut "1.2.0 build 1".
std::string release_name(const ReleaseStatus& status);

/// The sentence for an incomplete release: "release 1.2.0 is incomplete: 2 of 8 files are missing".
std::string status_sentence(const ReleaseStatus& status);

}  // namespace pinwheel::publish
