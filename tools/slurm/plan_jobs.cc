#include "slurm/plan_jobs.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "base/text.h"

namespace pinwheel::slurm {
namespace {

/// Whether the elements of an array take the indexes of their last needs, or all wait for the same.
enum class Grouping { corresponding, common };

/// Jobs with one request that depend on elements of the same arrays.
using Bucket = std::vector<const ReadyJob*>;

/// The index of a job in an array; nullopt: there is no place for it.
std::optional<int> free_index(const JobArray& array, const ReadyJob& job, Grouping grouping,
                              int largest) {
  if (grouping == Grouping::corresponding) {
    const int index = job.after.back().index;
    if (array.elements.contains(index)) return std::nullopt;
    return index;
  }
  const int next = array.elements.empty() ? 0 : array.elements.rbegin()->first + 1;
  if (next >= largest) return std::nullopt;
  return next;
}

JobArray empty_array(const ReadyJob& job, Grouping grouping) {
  JobArray array{job.request, {}, {}, {job.after.begin(), job.after.end()}};
  if (grouping == Grouping::common) return array;
  array.corresponds_to = job.after.back().array;
  array.after.erase(job.after.back());
  return array;
}

std::vector<JobArray> grouped(const Bucket& jobs, Grouping grouping, int largest) {
  std::vector<JobArray> arrays;
  std::map<std::set<ElementRef>, std::vector<size_t>> groups;  // by what all elements wait for
  for (const ReadyJob* const job : jobs) {
    JobArray fresh = empty_array(*job, grouping);
    std::vector<size_t>& group = groups[fresh.after];
    std::optional<int> index;
    size_t at = 0;
    for (size_t i = 0; i < group.size() && !index; ++i) {
      // Only the last array of common needs may have room.
      at = grouping == Grouping::common ? group.back() : group[i];
      index = free_index(arrays[at], *job, grouping, largest);
      if (grouping == Grouping::common) break;
    }
    if (!index) {
      at = arrays.size();
      group.push_back(at);
      index = free_index(fresh, *job, grouping, largest);
      arrays.push_back(std::move(fresh));
    }
    arrays[at].elements[index.value_or(0)] = {job->token, job->step};
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
