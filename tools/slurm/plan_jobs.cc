#include "slurm/plan_jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace pinwheel::slurm {
namespace {

/// Whether the elements of an array take the indexes of their last needs, or all wait for the same.
enum class Grouping { corresponding, common };

/// Jobs with one request that depend on elements of the same arrays.
using Bucket = std::vector<const ReadyJob*>;

JobArray empty_array(const ReadyJob& job, Grouping grouping) {
  JobArray array{job.request, {}, {}, {job.after.begin(), job.after.end()}};
  if (grouping == Grouping::common) return array;
  array.corresponds_to = job.after.back().array;
  array.after.erase(job.after.back());
  return array;
}

/// The arrays of jobs that wait for the same elements.
class Group {
 public:
  Group(Grouping grouping, int largest) : grouping_(grouping), largest_(std::max(largest, 1)) {}

  struct Place {
    size_t array = 0;  ///< in the group
    int index = 0;
  };

  /// The first free place of a job: each array has each index once.
  Place place(const ReadyJob& job) {
    if (grouping_ == Grouping::corresponding) {
      const int index = job.after.back().index;
      return {taken_[index]++, index};
    }
    const size_t position = jobs_++;
    const auto largest = static_cast<size_t>(largest_);
    return {position / largest, static_cast<int>(position % largest)};
  }

 private:
  Grouping grouping_;
  int largest_;
  size_t jobs_ = 0;
  std::map<int, size_t> taken_ = {};  ///< by index: the arrays that have it, the first ones
};

std::vector<JobArray> grouped(const Bucket& jobs, Grouping grouping, int largest) {
  std::vector<JobArray> arrays;
  // The groups and the indexes of their arrays, by what all elements wait for.
  std::map<std::set<ElementRef>, std::pair<Group, std::vector<size_t>>> groups;
  for (const ReadyJob* const job : jobs) {
    JobArray fresh = empty_array(*job, grouping);
    auto& [group, own] =
        groups.try_emplace(fresh.after, Group(grouping, largest), std::vector<size_t>())
            .first->second;
    const Group::Place place = group.place(*job);
    if (place.array == own.size()) {
      own.push_back(arrays.size());
      arrays.push_back(std::move(fresh));
    }
    arrays[own[place.array]].elements[place.index] = {job->token, job->step};
  }
  return arrays;
}

/// Whichever makes fewer arrays: tests correspond to their builds, and builds share an environment.
std::vector<JobArray> fewest_arrays(const Bucket& jobs, int largest) {
  std::vector<JobArray> common = grouped(jobs, Grouping::common, largest);
  if (common.size() < 2 || jobs.front()->after.empty()) return common;
  std::vector<JobArray> corresponding = grouped(jobs, Grouping::corresponding, largest);
  return corresponding.size() < common.size() ? corresponding : common;
}

}  // namespace

std::vector<JobArray> plan_arrays(const std::vector<ReadyJob>& jobs, int largest) {
  std::vector<Bucket> buckets;
  std::map<std::pair<JobClass, std::vector<std::string>>, size_t> known;
  for (const ReadyJob& job : jobs) {
    std::vector<std::string> arrays;
    arrays.reserve(job.after.size());
    for (const ElementRef& each : job.after) arrays.push_back(each.array);
    const auto [bucket, is_new] = known.try_emplace({job.request, arrays}, buckets.size());
    if (is_new) buckets.emplace_back();
    buckets[bucket->second].push_back(&job);
  }
  std::vector<JobArray> all;
  for (const Bucket& bucket : buckets) {
    for (JobArray& array : fewest_arrays(bucket, largest)) all.push_back(std::move(array));
  }
  return all;
}

std::string dependency_text(const JobArray& array) {
  std::vector<std::string> parts;
  if (!array.corresponds_to.empty()) parts.push_back("aftercorr:" + array.corresponds_to);
  std::string after;
  for (const ElementRef& each : array.after) {
    after += fmt::format(":{}_{}", each.array, each.index);
  }
  if (!after.empty()) parts.push_back("afterok" + after);
  return join(parts, ",");
}

}  // namespace pinwheel::slurm
