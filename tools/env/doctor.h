#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "env/conda_client.h"
#include "env/interpreter.h"
#include "env/toolkit.h"

namespace pinwheel::env {

enum class Docker { missing, no_daemon, ready };

/// What this machine has, gathered once.
struct DoctorFacts {
  std::vector<Interpreter> interpreters = {};
  std::vector<HostCompiler> compilers = {};
  std::vector<Toolkit> toolkits = {};  ///< CUDA and ROCm
  Docker docker = Docker::missing;
  std::string docker_version = {};      ///< of the server when it answers, else of the client
  std::vector<CondaClient> conda = {};  ///< the user's, in the order in which they are taken
  std::string driver = {};              ///< NVIDIA's kernel driver; empty: none
  std::vector<std::string> gpus = {};   ///< names, NVIDIA's and AMD's
  std::string disk = {};                ///< the directory of the cache
  uint64_t disk_free = 0;               ///< bytes
  uint64_t memory = 0;                  ///< bytes, all of it
  unsigned cores = 0;
};

/// `limited`: pinwheel works, but not for all it could do.
enum class Verdict { good, limited, missing };
std::string_view to_string(Verdict verdict);

/// A line of `pinwheel doctor`.
struct DoctorLine {
  std::string name;
  Verdict verdict = Verdict::good;
  std::string found = {};
  std::string allows = {};  ///< what can, or cannot, be done with it
  std::string mend = {};    ///< a command; empty when there is nothing to mend
};

/// One line each for interpreters, compilers, CUDA, ROCm, Docker, conda, GPU, disk, memory, cores,
/// in this order. Pure.
std::vector<DoctorLine> diagnose_machine(const DoctorFacts& facts);

/// Whether the machine can build and test a CPU package: Python, compiler and disk are not missing.
bool can_build(const std::vector<DoctorLine>& lines);

/// `{"format": 1, "lines": [{"name", "verdict", "found", "allows", "mend"}]}`.
std::string to_json(const std::vector<DoctorLine>& lines);

}  // namespace pinwheel::env
