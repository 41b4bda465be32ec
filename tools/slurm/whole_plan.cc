#include "slurm/whole_plan.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>
#include <vector>

namespace pinwheel::slurm {
namespace {

/// The submitted steps, by id.
using Submitted = std::map<std::string, ElementRef>;

/// The elements that a step depends on; nullopt: one of them is not submitted yet.
std::optional<std::vector<ElementRef>> needs_of(const plan::Step& step,
                                                const std::set<std::string>& jobs,
                                                const Submitted& submitted) {
  std::vector<ElementRef> after;
  for (const std::string& need : step.needs) {
    if (!jobs.contains(need)) continue;
    const auto found = submitted.find(need);
    if (found == submitted.end()) return std::nullopt;
    after.push_back(found->second);
  }
  return after;
}

/// The jobs that can be submitted next.
std::vector<ReadyJob> next_jobs(const WholePlan& whole, const std::set<std::string>& jobs,
                                const Submitted& submitted) {
  std::vector<ReadyJob> ready;
  for (const plan::Step& step : whole.plan.steps) {
    if (!jobs.contains(step.id) || submitted.contains(step.id)) continue;
    std::optional<std::vector<ElementRef>> after = needs_of(step, jobs, submitted);
    if (!after) continue;
    ready.push_back(
        {whole.token(step.id), step.id, job_class_of(step, whole.settings, {}), *std::move(after)});
  }
  return ready;
}

std::vector<int> all_indexes(const JobArray& array) {
  std::vector<int> indexes;
  indexes.reserve(array.elements.size());
  for (const auto& [index, element] : array.elements) indexes.push_back(index);
  return indexes;
}

}  // namespace

std::string plan_script(const WholePlan& whole) {
  std::set<std::string> jobs;
  std::string text = "#!/usr/bin/env bash\nset -euo pipefail\n";
  text += fmt::format("# before the first job, pinwheel writes {}/plan.json\n", whole.site.run);
  if (!whole.allocation.empty()) {
    text += fmt::format(
        "# in job {}, pinwheel submits nothing: each element becomes a step of this job, by srun,\n"
        "# in the same order, with the cores, memory, gres and variables of its script\n",
        whole.allocation);
  }
  for (const plan::Step& step : whole.plan.steps) {
    if (job_kind_of(step)) jobs.insert(step.id);
  }
  Submitted submitted;
  size_t count = 0;
  while (true) {
    const std::vector<ReadyJob> ready = next_jobs(whole, jobs, submitted);
    if (ready.empty()) break;
    for (const JobArray& array : plan_arrays(ready, whole.largest_array)) {
      const std::string name = fmt::format("job{}", ++count);
      const std::string dependency = dependency_text(array);
      const std::string option = dependency.empty() ? "" : " --dependency=" + dependency;
      text += fmt::format("\n{}=$(sbatch --parsable{} <<'PINWHEEL'\n{}PINWHEEL\n)\n", name, option,
                          script_of(array, name, whole.site, all_indexes(array)));
      for (const auto& [index, element] : array.elements) {
        submitted[element.step] = {fmt::format("${{{}}}", name), index};
      }
    }
  }
  for (const plan::Step& step : whole.plan.steps) {
    if (!jobs.contains(step.id)) text += fmt::format("\n# pinwheel itself runs {}\n", step.id);
  }
  return text;
}

}  // namespace pinwheel::slurm
