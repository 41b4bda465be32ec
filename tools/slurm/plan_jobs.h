#pragma once
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "slurm/job_class.h"

namespace pinwheel::slurm {

/// An element of an array that Slurm knows: the id of the array's job, or any name for it, and the
/// index of the element.
struct ElementRef {
  std::string array;
  int index = 0;

  auto operator<=>(const ElementRef&) const = default;
};

/// A step that can be submitted: what it depends on is known to Slurm.
struct ReadyJob {
  std::string token;
  std::string step;
  JobClass request;
  std::vector<ElementRef> after = {};
};

struct ArrayElement {
  std::string token;
  std::string step;
};

/// A job array: elements with one request and one list of dependencies.
struct JobArray {
  JobClass request;
  std::map<int, ArrayElement> elements = {};  ///< by index
  /// Each element starts after the element of this array with the same index succeeded
  /// (`aftercorr`); empty: there is none.
  std::string corresponds_to = {};
  std::set<ElementRef> after = {};  ///< all elements start after all of these succeeded
};

/// Groups jobs into few arrays. All elements of an array share one request and one dependency
/// specification, so jobs with the same request form an array in two cases: they depend on the same
/// elements, or each job depends on a different element of one array. In the second case, a job has
/// the index of the element, which is the last need of the job. All indexes are below `largest`
/// (Slurm's MaxArraySize).
std::vector<JobArray> plan_arrays(const std::vector<ReadyJob>& jobs, int largest);

/// "aftercorr:12,afterok:13_4:13_5", with the names of arrays as they are; empty: none.
std::string dependency_text(const JobArray& array);

}  // namespace pinwheel::slurm
