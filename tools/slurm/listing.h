#pragma once
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "slurm/queue.h"

namespace pinwheel::slurm {

/// What the controller knows about the elements of our arrays, by submission and index.
using Listing = std::map<std::pair<std::string, int>, Job>;

/// The elements of our arrays among jobs. If several jobs belong to one element, the job of the
/// later array counts: after a crash, the controller may start an element a second time.
Listing our_elements(const std::vector<Job>& jobs);

/// "pinwheel:<submission>", the comment by which an array is found.
std::string comment_of(const std::string& submission);

/// The id of the array in the id of an element: "17" of "17_3".
std::string array_of(const Job& element);

}  // namespace pinwheel::slurm
