#include "host/slurm/earlier_jobs.h"

namespace pinwheel::host {
namespace {

/// A number has no claim if its job was withdrawn before it was submitted. This many jobs in a row
/// are never withdrawn.
constexpr int kLargestGap = 32;

run::Growth grown_by(run::Growth growth, const std::string& mark) {
  if (mark == run::to_string(run::StepJobState::out_of_memory)) ++growth.memory;
  if (mark == run::to_string(run::StepJobState::time_limit)) ++growth.time;
  return mark == kNeverStarts ? run::Growth{} : growth;
}

}  // namespace

const EarlierJobs::Jobs& EarlierJobs::find(const std::string& plan_digest,
                                           const std::string& step) {
  const auto known = jobs_.find(step);
  if (known != jobs_.end()) return known->second;
  if (!listed_) listed_ = Listed{directory_.claimed(), directory_.ended()};
  return jobs_.emplace(step, look_for(*listed_, plan_digest, step)).first->second;
}

EarlierJobs::Jobs EarlierJobs::look_for(const Listed& listed, const std::string& plan_digest,
                                        const std::string& step) const {
  int last = 0;
  bool ended = false;
  for (int number = 1; number <= last + kLargestGap; ++number) {
    const std::string token = run::job_token(plan_digest, step, number);
    const bool marked = listed.ended.contains(token);
    if (!marked && !listed.claimed.contains(token)) continue;
    last = number;
    ended = marked;
  }
  // Every number before the last was given up by the caller that used the last.
  Jobs jobs{ended || last == 0 ? last : last - 1};
  for (int number = 1; number <= jobs.ended; ++number) {
    jobs.growth =
        grown_by(jobs.growth, directory_.mark_of(run::job_token(plan_digest, step, number)));
  }
  return jobs;
}

run::Growth EarlierJobs::growth_of(const std::string& step) const {
  const auto known = jobs_.find(step);
  return known == jobs_.end() ? run::Growth{} : known->second.growth;
}

}  // namespace pinwheel::host
