#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "env/conda_client.h"
#include "env/engine.h"
#include "env/engine_info.h"
#include "env/interpreter.h"
#include "env/toolkit.h"

namespace pinwheel::env {

/// A container engine of this machine.
struct EngineFacts {
  std::string program = {};              ///< the client; empty: there is none
  std::string version = {};              ///< the client's
  std::string silence = {};              ///< why the engine does not answer
  std::optional<EngineInfo> info = {};   ///< none: it does not answer
  bool builds = true;                    ///< whether the client can build images, by BuildKit
  uint64_t storage_free = 0;             ///< bytes, where its images lie
  std::optional<std::string> gpus = {};  ///< what hands NVIDIA's GPUs in; none: nothing does
};

/// What programs for aarch64 may come from or run by.
struct Arm64Facts {
  std::string machine = "x86_64";        ///< this one
  std::optional<Binfmt> emulation = {};  ///< qemu by binfmt_misc
  std::string cross_compiler = {};       ///< "aarch64-linux-gnu-g++ 12.2.0"; empty: none
};

/// What this machine has, gathered once.
struct DoctorFacts {
  std::vector<Interpreter> interpreters = {};
  std::vector<HostCompiler> compilers = {};
  std::vector<Toolkit> toolkits = {};          ///< CUDA and ROCm
  std::map<Engine, EngineFacts> engines = {};  ///< those that have a client
  Arm64Facts arm64 = {};
  std::vector<CondaClient> conda = {};  ///< the user's, in the order in which they are taken
  std::string driver = {};              ///< NVIDIA's kernel driver; empty: none
  std::vector<std::string> gpus = {};   ///< names, NVIDIA's and AMD's
  std::string disk = {};                ///< the directory of the cache
  uint64_t disk_free = 0;               ///< bytes
  uint64_t memory = 0;                  ///< bytes, all of it
  unsigned cores = 0;
};

/// `limited`: pinwheel works, but not for all it could do.
enum class DoctorVerdict { good, limited, missing };
std::string_view to_string(DoctorVerdict verdict);

/// A line of `pinwheel doctor`.
struct DoctorLine {
  std::string name;
  DoctorVerdict verdict = DoctorVerdict::good;
  std::string found = {};
  std::string allows = {};  ///< what can, or cannot, be done with it
  std::string mend = {};    ///< a command; empty when there is nothing to mend
};

/// One line each for interpreters, compilers, CUDA, ROCm, every container engine, conda, GPU, GPUs
/// in containers, arm64, disk, memory, cores, in this order. Pure.
std::vector<DoctorLine> diagnose_machine(const DoctorFacts& facts);

/// Whether the machine can build and test a CPU package: Python, compiler and disk are not missing.
bool can_build(const std::vector<DoctorLine>& lines);

/// `{"format": 1, "lines": [{"name", "verdict", "found", "allows", "mend"}]}`.
std::string to_json(const std::vector<DoctorLine>& lines);

}  // namespace pinwheel::env
