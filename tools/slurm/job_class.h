#pragma once
#include <chrono>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plan/step.h"
#include "slurm/settings.h"

namespace pinwheel::slurm {

/// The kind of job that a step becomes; nullopt: the caller does it (publications and
/// installations).
std::optional<JobKind> job_kind_of(const plan::Step& step);

/// What a job requests. All elements of an array have the same request.
struct JobClass {
  JobKind kind = JobKind::build;
  std::string partition = {};
  std::string account = {};
  std::string qos = {};
  std::string gres = {};
  int64_t minutes = 0;     ///< 0: the default of the partition
  uint64_t megabytes = 0;  ///< 0: the default of the partition
  int cores = 1;
  std::vector<std::string> options = {};

  auto operator<=>(const JobClass&) const = default;
};

/// How often memory and time were doubled.
struct Doubled {
  int memory = 0;
  int time = 0;
};

/// The request for a step: the user's settings, else what the step needs. Tests have the `--gres`
/// of their compute.
JobClass job_class_of(const plan::Step& step, const SlurmSettings& settings, Doubled doubled);

/// Whether a request with more doublings of memory or time would be larger and within its limit.
bool can_double_memory(const plan::Step& step, const SlurmSettings& settings, Doubled so_far);
bool can_double_time(const plan::Step& step, const SlurmSettings& settings, Doubled so_far);

}  // namespace pinwheel::slurm
