#include <string>

#include "fuzz/fuzz.h"
#include "slurm/allocation.h"
#include "slurm/allocation_step.h"
#include "slurm/classify.h"
#include "slurm/cluster.h"
#include "slurm/queue.h"
#include "slurm/settings.h"

using namespace pinwheel;

// What Slurm prints about jobs and clusters, with texts of users in it, and configuration files.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text = text_of(data, size);
  for (const slurm::Job& job : slurm::read_squeue(text)) {
    static_cast<void>(slurm::classify_slurm(job, text));
  }
  static_cast<void>(slurm::read_scontrol(text));
  static_cast<void>(slurm::read_sacct(text));
  static_cast<void>(slurm::parse_job_state(text));
  static_cast<void>(slurm::read_partitions(text));
  static_cast<void>(slurm::read_nodes(text));
  static_cast<void>(slurm::read_config(text));
  static_cast<void>(slurm::read_version(text));
  static_cast<void>(slurm::read_time(text));
  static_cast<void>(slurm::provides(text, text));
  static_cast<void>(slurm::read_script(text));
  static_cast<void>(slurm::needs_of_element(text, 0));
  static_cast<void>(slurm::expand_hosts(text));
  static_cast<void>(slurm::expand_counts(text));
  static_cast<void>(slurm::read_settings({{"fuzz.yaml", std::string(text)}}));
  return 0;
}
