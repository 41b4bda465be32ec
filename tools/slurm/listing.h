#pragma once
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace pinwheel::slurm {

/// What the controller says about an element of an array.
enum class QueueState {
  pending,
  running,
  completed,
  failed,  ///< the script ended with another exit code than 0
  canceled,
  time_limit,
  node_failure,
  preempted,
  out_of_memory,
  dependency_failed,  ///< canceled because of an element that it depends on
};

struct ListedElement {
  QueueState state = QueueState::pending;
  std::string array = {};   ///< the id of the array's job
  std::string reason = {};  ///< "Resources", "PartitionTimeLimit"
};

/// The elements of our arrays, by submission and index.
using Listing = std::map<std::pair<std::string, int>, ListedElement>;

/// The `--format` of squeue that `read_listing` reads.
inline constexpr const char* kListingFormat = "%F|%K|%T|%r|%k";

/// Reads the output of `squeue --noheader --array --states=all --format=...`. Lines of other jobs
/// are ignored. Of several lines for an element, that of the array with the larger id counts: a
/// controller that crashed may have started a second one.
Listing read_listing(std::string_view text);

}  // namespace pinwheel::slurm
