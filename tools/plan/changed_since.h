#pragma once
// What a change affects
//
// `--changed-since REV` runs the steps whose keys differ from those of REV's results. Both sides
// are planned by the same program on the same machine: REV from a separate checkout, and this
// checkout with the version of REV, because a version that git derives differs in every commit and
// would change every key. A step is unchanged if REV has a result with its key, computed this way.
// All other steps run, each with the reasons: the parts of the key that differ, as `explain`
// prints them, with the names of the changed files and packages.
//
// The source of a test is the whole project. A difference only in its documentation
// (`project::is_documentation`), the matrix file or its locks does not count, unless wheels receive
// the file, or the test's command names it or its directory or runs doctests. What the matrix and
// its locks decide is in the other parts of the key.
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plan/outline.h"
#include "plan/reuse.h"
#include "plan/step.h"
#include "store/entry.h"

namespace pinwheel::plan {

enum class SinceState {
  unchanged,  ///< REV has a result with its key
  changed,    ///< REV's result has another key
  no_result,  ///< REV has no result for it, so it is not known whether the step would differ
};

/// "unchanged", "changed", "no-result".
std::string_view to_string(SinceState state);

/// A build, an sdist or a test, compared with REV.
struct SinceStep {
  std::string id;
  SinceState state = SinceState::changed;
  std::vector<std::string> reasons = {};  ///< empty if it is unchanged
};

/// The comparison with a commit.
struct ChangedSince {
  std::string rev;                    ///< as the user names it
  std::string commit;                 ///< 40 digits
  std::vector<SinceStep> steps = {};  ///< in plan order
};

/// One of the two sides.
struct SinceSide {
  Plan plan;
  std::filesystem::path matrix = {};  ///< absolute
  /// By step, the packages of its environment, without steps whose packages are unknown.
  std::map<std::string, store::InstalledPackages> packages = {};
};

/// Compares the builds, sdists and tests of `now` with the results of `then`. Both plans are made
/// for the same version. `rev` names the commit in reasons.
std::vector<SinceStep> compare_sides(const SinceSide& then, const Results& results,
                                     const SinceSide& now, const std::string& rev);

/// Whether any step of a plan has one of the results.
bool has_any_result(const Plan& plan, const Results& results);

/// The ids of the steps that run.
std::vector<std::string> steps_to_run(const ChangedSince& since);

/// The part of an outline whose builds or tests run.
Outline affected_part(const Outline& outline, const ChangedSince& since);

}  // namespace pinwheel::plan
