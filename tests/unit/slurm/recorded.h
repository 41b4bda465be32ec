#pragma once
#include <fstream>
#include <iterator>
#include <string>

#include "slurm/queue.h"
#include "unit/catch.h"
#include "unit/source_tree_path.h"

namespace pinwheel::slurm {

/// A file of tests/data/slurm: what Slurm 22.05 printed, by tests/system/slurm_outputs_test.py.
inline std::string recorded(const std::string& name) {
  std::ifstream in(in_source_tree("tests/data/slurm/" + name), std::ios::binary);
  INFO(name);
  REQUIRE(in);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The only job in a list.
inline Job only(const std::vector<Job>& jobs) {
  REQUIRE(jobs.size() == 1);
  return jobs.front();
}

/// The job of a recorded `NAME.scontrol`.
inline Job recorded_job(const std::string& name) {
  INFO(name);
  return only(read_scontrol(recorded(name + ".scontrol")));
}

}  // namespace pinwheel::slurm
