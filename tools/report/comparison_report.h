#pragma once
#include <optional>
#include <string>
#include <vector>

#include "analysis/compare_runs.h"
#include "inspect/difference.h"

namespace pinwheel::report {

/// A distribution of two runs whose bytes differ, and what differs if both files were there.
struct ComparedWheel {
  analysis::ComparedFile file;
  std::optional<inspect::WheelDifference> difference = std::nullopt;
  std::string unread = {};  ///< why there is no difference; empty if there is one
};

/// Two runs, the earlier one first.
struct RunDifference {
  std::string before;  ///< what the reader called the runs
  std::string after;
  analysis::RunComparison runs;
  std::vector<ComparedWheel> wheels = {};
};

/// The comparison for a terminal.
std::string comparison_text(const RunDifference& difference);

/// The same as GitHub-flavored Markdown: what got worse first, details folded. At most 60 kB: the
/// comment of a pull request holds 65,536 characters.
std::string comparison_markdown(const RunDifference& difference);

/// The same as JSON, schema `pinwheel-comparison/1`, keys sorted, a newline at the end:
///     before, after      what the runs were called
///     shared, timed      steps in both, and those whose durations were compared
///     with_usual         of these, steps whose usual duration is known from earlier runs
///     within_usual       differences that are usual, and so are not in slower and faster
///     newly_red, newly_blocked, newly_skipped, stopped, too_little_evidence, less_evidence,
///     still_red, fixed, slower, faster
///                        [{id, before, after: {state, elapsed_ms, evidence}, reason, usual:
///                        {runs, p10_ms, p50_ms, p90_ms} or null}]
///     gained, lost       ids of steps that only one run has
///     wheels             [{step, before, after: {path, sha256, size} or null, unread,
///     requirements,
///                        architectures, operators, members, needed: {gained, lost}, kernels,
///                        sizes, unread_parts}]: the last eight as in `difference_json`, null if
///                        `unread` says why the files were not compared
std::string comparison_json(const RunDifference& difference);

}  // namespace pinwheel::report
