#include "slurm/job_class.h"

#include <algorithm>

#include "plan/step_id.h"

namespace pinwheel::slurm {
namespace {

using std::chrono::milliseconds;

/// Without a limit in the settings, a request grows to eight times its first size.
constexpr int kMostDoublings = 3;

template <class Amount>
Amount doubled_up_to(Amount first, int times, Amount limit) {
  Amount amount = first;
  for (int i = 0; i < std::min(times, kMostDoublings); ++i) amount = amount * 2;
  return limit > Amount{0} ? std::min(amount, std::max(limit, first)) : amount;
}

/// Making the environment of a step is not part of its time limit.
constexpr milliseconds kForEnvironment = std::chrono::minutes(15);

milliseconds first_time(const plan::Step& step, const JobSettings& settings) {
  return settings.time.count() > 0 ? settings.time : step.timeout + kForEnvironment;
}

milliseconds time_of(const plan::Step& step, const JobSettings& settings, int times) {
  return doubled_up_to(first_time(step, settings), times, settings.time_limit);
}

int cores_of_job(const plan::Step& step, const JobSettings& settings) {
  return settings.cores > 0 ? settings.cores : std::max(1, step.resources.cores_min);
}

uint64_t memory_of_job(const plan::Step& step, const JobSettings& settings, int times) {
  const auto cores = static_cast<uint64_t>(cores_of_job(step, settings));
  const uint64_t first =
      settings.memory > 0 ? settings.memory : step.resources.memory_per_core * cores;
  return doubled_up_to(first, times, settings.memory_limit);
}

}  // namespace

std::optional<JobKind> job_kind_of(const plan::Step& step) {
  if (plan::prepares(step.id)) return JobKind::environment;
  if (plan::makes_files(step.id) || plan::compiles_device_code(step.id)) return JobKind::build;
  if (plan::kind_of_step(step.id) == plan::StepKind::test) return JobKind::test;
  return std::nullopt;
}

JobClass job_class_of(const plan::Step& step, const SlurmSettings& settings, Doubled doubled) {
  JobClass request;
  request.kind = job_kind_of(step).value_or(JobKind::build);
  const JobSettings& own = settings.of(request.kind);
  request.partition = own.partition;
  request.account = own.account;
  request.qos = own.qos;
  request.options = own.options;
  request.cores = cores_of_job(step, own);
  constexpr milliseconds kMinute = std::chrono::minutes(1);
  request.minutes = (time_of(step, own, doubled.time) + kMinute - milliseconds(1)) / kMinute;
  constexpr uint64_t kMegabyte = 1 << 20;
  request.megabytes = (memory_of_job(step, own, doubled.memory) + kMegabyte - 1) / kMegabyte;
  if (const auto* const test = std::get_if<plan::TestWheel>(&step.action)) {
    request.gres = settings.gres_for(test->compute);
  }
  return request;
}

bool can_double_memory(const plan::Step& step, const SlurmSettings& settings, Doubled so_far) {
  const JobSettings& own = settings.of(job_kind_of(step).value_or(JobKind::build));
  return memory_of_job(step, own, so_far.memory + 1) > memory_of_job(step, own, so_far.memory);
}

bool can_double_time(const plan::Step& step, const SlurmSettings& settings, Doubled so_far) {
  const JobSettings& own = settings.of(job_kind_of(step).value_or(JobKind::build));
  return time_of(step, own, so_far.time + 1) > time_of(step, own, so_far.time);
}

}  // namespace pinwheel::slurm
